"""Central differences: the slow answer to how a loss changes with each number."""

import numpy as np

STEP = 1e-5


def central_differences(loss, x):
    """∂loss/∂x, one number of x moved at a time; x is as before at the end."""
    gradient = np.zeros_like(x)
    for cell in np.ndindex(x.shape):
        before = x[cell]
        x[cell] = before + STEP
        above = loss()
        x[cell] = before - STEP
        gradient[cell] = (above - loss()) / (2 * STEP)
        x[cell] = before
    return gradient


def assert_gradients(loss, pairs):
    """Compare, for each name, an array and the gradient that was found for it."""
    for name, (x, gradient) in pairs.items():
        assert gradient.shape == x.shape, name
        np.testing.assert_allclose(
            gradient, central_differences(loss, x), rtol=1e-6, atol=1e-7, err_msg=name
        )
