"""What the chapter *tell* alone needs: tests, bounds, plots and exercises."""
