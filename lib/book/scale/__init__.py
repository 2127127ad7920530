"""What the chapter *scale* alone needs: plots, exercises, small experiments."""
