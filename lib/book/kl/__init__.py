"""What the chapter *Why is softmax the best compromise?* alone needs: its plot, exercises and verdicts."""
