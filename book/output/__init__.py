"""What the chapter *output* alone needs: cuts, a small model."""
