"""What the chapter *divergences* alone needs."""
