"""The exercises on the norms themselves: references, properties, points."""

from torch import Tensor

from transformer_lab.grading.checks import norm_inputs as inputs
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.norm_layer import LAYER_MISTAKES, MEND_MISTAKES
from transformer_lab.grading.misconceptions.norm_statistics import MEAN_MISTAKES, RMS_MISTAKES
from transformer_lab.norm import layer_norm as reference_layer_norm
from transformer_lab.norm import rms_norm as reference_rms_norm

NORMS = frozenset(
    {"layer_norm", "LayerNorm", "native_layer_norm", "rms_norm", "RMSNorm"}
    | {"group_norm", "GroupNorm", "native_group_norm", "instance_norm", "InstanceNorm1d"}
    | {"batch_norm", "BatchNorm1d", "native_batch_norm"}
)
GENERAL = "It takes any axes before the last (batch, tokens), and keeps the dtype it is given."
UNTOUCHED = "It leaves the caller's tensors as they were."


def mean_variance(x: Tensor) -> tuple[Tensor, Tensor]:
    """Take each vector's mean and biased variance."""
    return x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)


def normalise(x: Tensor, eps: float) -> Tensor:
    """Give each vector mean 0 and variance 1."""
    mean, variance = mean_variance(x)
    return (x - mean) / (variance + eps).sqrt()


STATISTICS = Exercise(
    id="norm-statistics",
    function="mean_variance",
    arguments=("x",),
    results={"mean": "tokens, 1", "variance": "tokens, 1"},
    reference=mean_variance,
    properties=(
        Property(
            "norm-statistics-values",
            2,
            "Each token has the mean and the (biased) variance of its own features.",
            inputs.mean_values,
        ),
        Property("norm-statistics-general", 1, GENERAL, inputs.mean_general),
    ),
    probes=inputs.no_probes,
    mistakes=MEAN_MISTAKES,
)

LAYER = Exercise(
    id="norm-layer",
    function="layer_norm",
    arguments=("x", "gamma", "beta", "eps"),
    results={"normalised vectors": "tokens, features"},
    reference=reference_layer_norm,
    properties=(
        Property(
            "norm-layer-values",
            2,
            "Each token's features get mean 0 and variance 1, and then γ and β.",
            inputs.layer_values,
        ),
        Property(
            "norm-layer-eps", 1, "ε is added to the variance, under the root.", inputs.layer_eps
        ),
        Property("norm-layer-general", 1, GENERAL, inputs.layer_general),
        Property("norm-layer-untouched", 1, UNTOUCHED, inputs.layer_values, unchanged=True),
    ),
    probes=inputs.layer_probes,
    forbidden=NORMS,
    mistakes=LAYER_MISTAKES,
)

MEND_VARIANCE = Exercise(
    id="norm-mend-variance",
    function="normalise",
    arguments=("x", "eps"),
    results={"normalised vectors": "tokens, features"},
    reference=normalise,
    properties=(
        Property(
            "norm-mend-variance-values",
            2,
            "Each vector comes out with mean 0, and with variance 1 but for ε.",
            inputs.mend_values,
        ),
    ),
    probes=inputs.no_probes,
    forbidden=NORMS,
    mistakes=MEND_MISTAKES,
)

RMS = Exercise(
    id="norm-rms",
    function="rms_norm",
    arguments=("x", "gamma", "eps"),
    results={"normalised vectors": "tokens, features"},
    reference=reference_rms_norm,
    properties=(
        Property(
            "norm-rms-values",
            2,
            "Each token is divided by the root of its mean square, and multiplied by γ.",
            inputs.rms_values,
        ),
        Property(
            "norm-rms-eps", 1, "ε is added to the mean square, under the root.", inputs.rms_eps
        ),
        Property("norm-rms-general", 1, GENERAL, inputs.rms_general),
    ),
    probes=inputs.no_probes,
    forbidden=NORMS,
    mistakes=RMS_MISTAKES,
)
