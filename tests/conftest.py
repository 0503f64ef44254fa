"""Settings for all tests."""

from hypothesis import settings

# No deadline for one example: a shared machine is slow at times, and speed is measured in bench/.
settings.register_profile("explorer", deadline=None, max_examples=50)
settings.load_profile("explorer")
