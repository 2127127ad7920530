"""What the chapter *masking* alone needs."""
