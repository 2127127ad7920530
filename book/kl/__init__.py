"""What the chapter *kl* alone needs: its plot, exercises and verdicts."""
