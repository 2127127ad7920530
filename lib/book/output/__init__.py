"""What the chapter *Does the last layer want a softmax?* alone needs: ways to cut, a small model, exercises, verdicts."""
