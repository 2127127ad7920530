"""What the chapter *experiments* alone needs."""
