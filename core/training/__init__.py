"""A small attention model that learns while the reader looks on: NumPy only, gradients by hand."""
