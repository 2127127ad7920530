"""What the chapter *Why KL and no other divergence, and how else does one get to softmax?* alone needs."""
