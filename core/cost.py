"""What attention costs: parameters, multiplications, numbers to hold; shapes of known models."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Counts of one layer of attention."""

    parameters: int
    projections: int  # multiplications of Q, K, V and the output projection
    pairs: int  # multiplications of Q Kᵀ and weights · V
    weights: int  # attention weights to hold: one n × n table a head

    @property
    def multiplications(self) -> int:
        """All of them."""
        return self.projections + self.pairs


def attention_cost(
    n: int,
    d_model: int,
    num_heads: int,
    d_k: int,
    d_v: int,
    *,
    output_projection: bool = True,
    biases: bool = False,
) -> Cost:
    """Count one layer of self-attention over n tokens.

    Parameters
    ----------
    n, d_model, num_heads, d_k, d_v : int
    output_projection : bool
        Whether there is a W_O of shape (h·d_v, d_model).
    biases : bool
        Whether each of the four projections has a bias.

    Returns
    -------
    Cost
        A product of a × b and b × c takes a·b·c multiplications.
    """
    widths = [num_heads * d_k, num_heads * d_k, num_heads * d_v]  # of W_Q, W_K, W_V
    parameters = sum(d_model * width for width in widths)
    if output_projection:
        parameters += num_heads * d_v * d_model
    # Without biases each parameter multiplies one number of each token.
    projections = n * parameters
    if biases:
        parameters += sum(widths) + (d_model if output_projection else 0)
    return Cost(
        parameters=parameters,
        projections=projections,
        pairs=num_heads * n * n * (d_k + d_v),
        weights=num_heads * n * n,
    )


@dataclass(frozen=True)
class ModelShape:
    """Attention of a published model, as its paper prints it."""

    name: str
    d_model: int
    num_heads: int
    d_head: int
    layers: int

    @property
    def width(self) -> int:
        """All heads side by side."""
        return self.num_heads * self.d_head

    @property
    def multiplies_out(self) -> bool:
        """Whether heads × width of a head is d_model, as it is in every model that was built."""
        return self.width == self.d_model

    @property
    def parameters(self) -> int:
        """W_Q, W_K, W_V and W_O of one layer, without biases."""
        cost = attention_cost(1, self.d_model, self.num_heads, self.d_head, self.d_head)
        return cost.parameters


# Vaswani et al. (2017), table 3; Devlin et al. (2019), section 3; Radford et al. (2019), table 2;
# Brown et al., "Language Models are Few-Shot Learners" (2020), table 2.1. The encoder of the first.
MODELS = (
    ModelShape("Transformer base", 512, 8, 64, 6),
    ModelShape("BERT base", 768, 12, 64, 12),
    ModelShape("GPT-2 small", 768, 12, 64, 12),
    ModelShape("GPT-3 Small", 768, 12, 64, 12),
    ModelShape("GPT-3 Medium", 1024, 16, 64, 24),
    ModelShape("GPT-3 Large", 1536, 16, 96, 24),
    ModelShape("GPT-3 XL", 2048, 24, 128, 24),
    ModelShape("GPT-3 2.7B", 2560, 32, 80, 32),
    ModelShape("GPT-3 6.7B", 4096, 32, 128, 32),
    ModelShape("GPT-3 13B", 5140, 40, 128, 40),
    ModelShape("GPT-3 175B", 12288, 96, 128, 96),
)
