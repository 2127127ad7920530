"""What the chapter *speed* alone needs."""
