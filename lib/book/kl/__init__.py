"""What the chapter *Why KL, and why is softmax its answer?* alone needs: plots, exercises, other derivations."""
