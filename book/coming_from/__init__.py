"""What the page for those who come from torch, entmax or SciPy needs, and no other."""
