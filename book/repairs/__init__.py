"""What the chapter *repairs* alone needs."""
