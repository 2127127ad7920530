"""What the chapter *outside* alone needs."""
