"""The attention mathematics of the explorer, in NumPy alone.

Start with :mod:`core.attention`; :func:`core.trace.trace` runs it on an experiment.
"""
