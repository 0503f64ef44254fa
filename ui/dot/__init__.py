"""The lessons of the dot product page."""
