"""Adam, the rule that turns gradients into steps."""

import numpy as np

from core.arrays import Array


class Adam:
    """Kingma & Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.

    β₂ and ε are those of Vaswani et al. (2017), section 5.3.
    """

    def __init__(
        self, rate: float, beta_1: float = 0.9, beta_2: float = 0.98, epsilon: float = 1e-9
    ) -> None:
        """Begin with nothing remembered."""
        self.rate, self.beta_1, self.beta_2, self.epsilon = rate, beta_1, beta_2, epsilon
        self._steps = 0
        self._means: dict[str, Array] = {}
        self._squares: dict[str, Array] = {}

    def updated(
        self, parameters: dict[str, Array], gradients: dict[str, Array]
    ) -> dict[str, Array]:
        """Return the parameters after one step down the gradients; the given ones stay as they are.

        Every call counts as a step and is remembered in the running means.
        """
        self._steps += 1
        # Both means begin at 0; these factors undo that they are too small at first.
        size = self.rate / (1 - self.beta_1**self._steps)
        correction = 1 / np.sqrt(1 - self.beta_2**self._steps)
        new = {}
        for name, gradient in gradients.items():
            mean = self._means.setdefault(name, np.zeros_like(gradient))
            mean += (1 - self.beta_1) * (gradient - mean)
            square = self._squares.setdefault(name, np.zeros_like(gradient))
            square += (1 - self.beta_2) * (gradient**2 - square)
            spread = np.sqrt(square) * correction + self.epsilon
            new[name] = parameters[name] - size * mean / spread
        return new
