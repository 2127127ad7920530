"""What the chapter *numerics* alone needs."""
