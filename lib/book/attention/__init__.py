"""What the chapter *What does attention compute?* alone needs: its plots, its exercises and its verdicts."""
