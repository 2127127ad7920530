"""What the chapter *What happens when the numbers are not real?* alone needs."""
