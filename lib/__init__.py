"""Why Softmax? The package that every chapter imports."""
