"""What the chapter *patterns* alone needs."""
