"""What the chapter *temperature* alone needs: plots, exercises, verdicts and two bounds."""
