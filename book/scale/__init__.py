"""What the chapter *Scaling* alone needs: plots, exercises, small experiments."""
