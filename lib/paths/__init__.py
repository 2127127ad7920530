"""Ways to compute attention faster than as it is defined; the definition is what each is tested against."""
