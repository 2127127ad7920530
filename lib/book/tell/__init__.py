"""What the chapter *Can you tell the weights from the null?* alone needs: tests, bounds, plots and exercises."""
