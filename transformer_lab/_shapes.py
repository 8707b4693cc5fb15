"""The shapes of inputs and outputs by the package's letters: B texts, T tokens, S of a source."""

from jaxtyping import Bool, Float, Int
from torch import Tensor

Ids = Int[Tensor, "B T"]
Source = Int[Tensor, "B S"]
Real = Bool[Tensor, "B T"]  # True = a token, False = padding
SourceReal = Bool[Tensor, "B S"]
Vectors = Float[Tensor, "B T D"]
Memory = Float[Tensor, "B S D"]
Logits = Float[Tensor, "B T V"]
Loss = Float[Tensor, ""]
