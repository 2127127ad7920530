"""What the chapter *What does attention compute?* alone needs: its plots and its exercises."""
