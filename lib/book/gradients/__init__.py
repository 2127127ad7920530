"""What the chapter *gradients* alone needs: plots, exercises, verdicts, small experiments."""
