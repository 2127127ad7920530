"""What the chapter *What lies beyond the compromise?* alone needs."""
