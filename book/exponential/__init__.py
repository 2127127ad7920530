"""What the chapter *exponential* alone needs."""
