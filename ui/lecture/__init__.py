"""Lecture mode: the app on a lecture screen, one idea at a time, and lists of steps to prepare."""
