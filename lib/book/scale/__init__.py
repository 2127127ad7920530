"""What the chapter *Why divide by √d?* alone needs: plots, exercises, small experiments."""
