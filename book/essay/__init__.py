"""What the first page alone needs: the numbers in its text."""
