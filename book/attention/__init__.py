"""What the chapter *attention* alone needs: its plots and its exercises."""
