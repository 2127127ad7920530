"""What the chapter *alternatives* alone needs."""
