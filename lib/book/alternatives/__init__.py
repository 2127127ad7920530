"""What the chapter *What else could it have been?* alone needs."""
