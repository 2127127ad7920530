"""What the chapter *attention* alone needs: its plots, its exercises and its verdicts."""
