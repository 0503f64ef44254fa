"""The lessons of the softmax page."""
