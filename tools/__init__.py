"""Scripts that people run by hand or by `make`, each as `python -m tools.<name>`; and the browsers they find."""
