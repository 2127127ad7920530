"""What the chapter *kl* alone needs: its plot and exercises."""
