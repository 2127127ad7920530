"""What the first page alone needs."""
