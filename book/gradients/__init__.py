"""What the chapter *Gradients* alone needs: plots, exercises, verdicts, small experiments."""
