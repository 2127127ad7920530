"""What the chapter *Gradients* alone needs: plots, exercises, small experiments."""
