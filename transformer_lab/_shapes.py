"""What models read and give, by the letters of the package: B texts, T tokens, S of a source."""

from jaxtyping import Bool, Float, Int
from torch import Tensor

Ids, Source = Int[Tensor, "B T"], Int[Tensor, "B S"]
Real, SourceReal = Bool[Tensor, "B T"], Bool[Tensor, "B S"]  # True = a token, False = padding
Vectors, Memory = Float[Tensor, "B T D"], Float[Tensor, "B S D"]
Logits = Float[Tensor, "B T V"]
Loss = Float[Tensor, ""]
