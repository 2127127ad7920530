"""What the chapter *temperature* alone needs: plots, exercises and two bounds."""
