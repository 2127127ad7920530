"""What the chapter *What does being sure cost?* alone needs: plots, exercises, verdicts, small experiments."""
