"""What the chapter *Does the last layer want a softmax?* alone needs: cuts, a small model, verdicts."""
