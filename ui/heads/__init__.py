"""The Heads page, a lesson a module."""
