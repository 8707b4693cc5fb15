# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write the feed-forward network, with ReLU and with a gate."""

import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

NETWORK = "book/norm#The other half: the feed-forward network"


@mistake(
    "there is no bend",
    why="Without the ReLU between them, two linear layers are one, and the network can be no more "
    "than a single matrix.",
    section=NETWORK,
)
def network_no_bend(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return (x @ w1 + b1) @ w2 + b2


@mistake(
    "the ReLU comes last",
    why="It belongs between the two layers. At the end it would allow the network to add to the "
    "stream, but never to take anything away.",
    section=NETWORK,
)
def network_bends_last(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return F.relu((x @ w1 + b1) @ w2 + b2)


@mistake(
    "there is a ReLU too many, at the end",
    why="The one between the layers is right. A second one at the end would allow the network to "
    "add to the stream, but never to take anything away.",
    section=NETWORK,
)
def network_bends_twice(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return F.relu(F.relu(x @ w1 + b1) @ w2 + b2)


@mistake(
    "the first bias comes after the ReLU",
    why="The bias says how much of a yes is needed before the ReLU lets anything through, so it is "
    "added before: relu(x @ w1 + b1).",
    section=NETWORK,
)
def network_late_bias(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return (F.relu(x @ w1) + b1) @ w2 + b2


@mistake(
    "the first bias is left out",
    why="Both layers have a bias: b1 is added before the ReLU.",
    section=NETWORK,
)
def network_no_first_bias(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return F.relu(x @ w1) @ w2 + b2


@mistake(
    "the second bias is left out",
    why="Both layers have a bias: b2 is added at the end.",
    section=NETWORK,
)
def network_no_second_bias(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return F.relu(x @ w1 + b1) @ w2


@mistake(
    "it bends by GELU, not by ReLU",
    why="GELU is what BERT and GPT have, a ReLU with a rounded corner. Asked for is the paper's: "
    "what is negative becomes 0, exactly.",
    section=NETWORK,
)
def network_gelu(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return F.gelu(x @ w1 + b1) @ w2 + b2


@mistake(
    "the residual connection is in it already",
    why="The network gives what is to be added to x. The addition is made outside, around every "
    "sublayer alike; here it would happen twice.",
    section=NETWORK,
)
def network_adds_x(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return x + F.relu(x @ w1 + b1) @ w2 + b2


@mistake(
    "the bend is on the wrong branch",
    why="swish belongs to the gate, x @ gate. What the gate lets through, x @ widen, stays as it "
    "is.",
    section=NETWORK,
)
def swiglu_other_branch(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return ((x @ gate) * F.silu(x @ widen)) @ narrow


@mistake(
    "both branches are bent",
    why="Only the gate goes through swish. What it lets through, x @ widen, stays as it is.",
    section=NETWORK,
)
def swiglu_both(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return (F.silu(x @ gate) * F.silu(x @ widen)) @ narrow


@mistake(
    "the gate is a sigmoid",
    why="That is the older GLU. swish multiplies the sigmoid by its own input: z · sigmoid(z).",
    section=NETWORK,
)
def swiglu_sigmoid(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return ((x @ gate).sigmoid() * (x @ widen)) @ narrow


@mistake(
    "the gate is a ReLU",
    why="A gate of ReLU is a variant of its own, ReGLU. swish, z · sigmoid(z), is smooth, and a "
    "little below 0 on the left.",
    section=NETWORK,
)
def swiglu_relu(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return (F.relu(x @ gate) * (x @ widen)) @ narrow


@mistake(
    "there is no bend",
    why="Gate and content are multiplied, but the gate never goes through swish, z · sigmoid(z).",
    section=NETWORK,
)
def swiglu_no_bend(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return ((x @ gate) * (x @ widen)) @ narrow


@mistake(
    "the branches are added, not multiplied",
    why="A gate multiplies: where it is 0, nothing gets through. Added, both would always get "
    "through.",
    section=NETWORK,
)
def swiglu_added(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return (F.silu(x @ gate) + x @ widen) @ narrow


@mistake(
    "the second branch is not looked at",
    why="It is the plain network with swish for ReLU. What the gate lets through is x @ widen: "
    "multiply the two.",
    section=NETWORK,
)
def swiglu_no_content(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return F.silu(x @ gate) @ narrow


NETWORK_MISTAKES = (
    network_no_bend,
    network_bends_last,
    network_bends_twice,
    network_late_bias,
    network_no_first_bias,
    network_no_second_bias,
    network_gelu,
    network_adds_x,
)
SWIGLU_MISTAKES = (
    swiglu_other_branch,
    swiglu_both,
    swiglu_sigmoid,
    swiglu_relu,
    swiglu_no_bend,
    swiglu_added,
    swiglu_no_content,
)
