"""What the chapter *How do you forbid?* alone needs."""
