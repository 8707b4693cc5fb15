"""A training step: our layers beside those of torch.nn, with the same initial weights."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from statistics import median

import torch
from torch import Tensor, nn

from benchmarks import clock, report
from tests.parity.problems import rename
from tests.parity.test_pytorch import ATTENTION, DECODER, ENCODER
from transformer_lab import DecoderModel, EncoderDecoderModel, causal_mask, to_blocked
from transformer_lab.tasks.accuracy import exact_match
from transformer_lab.tasks.shakespeare import SYMBOLS, passages
from transformer_lab.tasks.symbol_tasks import REVERSE
from transformer_lab.tasks.task import small_model
from transformer_lab.train import Trainer, train_step

GOAL, EVERY = 0.99, 5
GPT = small_model(SYMBOLS, d_model=128, heads=4, d_ff=512, layers=4)
PROJECTIONS = ("query", "key", "value")
WHAT = """\
The reverse task of `symbol_tasks`: ten digits, batches of {batch}, one encoder and one decoder
layer, d_model {d_model}, float32. Both models have the same embeddings, the same output matrix and,
copied, the same first weights; they see the same batches and take the same steps of AdamW. Only
the layers differ: ours, or the encoder and decoder of `nn.Transformer`, which in training keep no
attention weights. The GPT has {layers} such layers of {wide} numbers and reads 16 passages of 64
characters. Steps are timed in turn; the ratio is the median of {runs} runs, with the
smallest and the largest behind it. Steps to mastery: until {goal:.0%} of 500 held-out sequences are
exact, looked at after every {every} steps; their median over {seeds} seeds, and all of them. In
float64 both models learn the same; in float32 they add in another order, and rounding grows into a
difference of some steps."""


class TorchLayers(EncoderDecoderModel):
    """A model of ours with torch.nn's layers, and the same initial weights."""

    def __init__(self, ours: EncoderDecoderModel, heads: int, d_ff: int):
        """Copy the weights of `ours`."""
        nn.Module.__init__(self)
        for part in ("embeddings", "decoder_embeddings", "output"):
            setattr(self, part, deepcopy(getattr(ours, part)))
        self.decoder_embeddings.tokens = self.embeddings.tokens
        self.start_id = ours.start_id
        d_model = self.embeddings.tokens.embedding_dim
        sizes = dict(d_model=d_model, nhead=heads, dim_feedforward=d_ff, dropout=0.0)
        kind = dict(batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(**sizes, **kind),
            len(ours.encoder.layers),
            norm=nn.LayerNorm(d_model),
            enable_nested_tensor=False,
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(**sizes, **kind),
            len(ours.decoder.layers),
            norm=nn.LayerNorm(d_model),
        )
        self.encoder.load_state_dict(_packed(ours.encoder, self.encoder, ENCODER))
        self.decoder.load_state_dict(_packed(ours.decoder, self.decoder, ENCODER | DECODER))

    def encode(self, source: Tensor, source_real: Tensor | None = None) -> Tensor:
        """Return the output of torch.nn's encoder."""
        return self.encoder(self.embeddings(source))

    def read(
        self,
        ids: Tensor,
        memory: Tensor,
        source_real: Tensor | None = None,
        real: Tensor | None = None,
        cache: None = None,
    ) -> Tensor:
        """Return the output of torch.nn's decoder."""
        blocked = to_blocked(causal_mask(ids.size(1)))
        return self.decoder(self.decoder_embeddings(ids), memory, tgt_mask=blocked)


def _packed(ours: nn.Module, theirs: nn.Module, table: dict[str, str]) -> dict[str, Tensor]:
    """Return our weights by torch.nn's names: query, key and value are in one matrix there."""
    weights = ours.state_dict()

    def find(name: str) -> Tensor:
        (key,) = rename({name: None}, table | ATTENTION)
        return weights[key]

    return {
        name: torch.cat([find(name.replace("in_proj_", f"{part}.")) for part in PROJECTIONS])
        if "in_proj_" in name
        else find(name)
        for name in theirs.state_dict()
    }


def trainers(seed: int) -> dict[str, Trainer]:
    """Return a trainer of each kind, which differ in the layers only."""
    ours = REVERSE.trainer(seed=seed)
    theirs = Trainer(
        TorchLayers(ours.model, REVERSE.config.heads, REVERSE.config.d_ff),
        ours.make_batch,
        schedule=ours.schedule,
        batch_size=ours.batch_size,
        seed=seed,
    )
    return {"ours": ours, "PyTorch": theirs}


def steps() -> dict[str, Callable[[], float]]:
    """Return one training step of each kind."""
    batch = REVERSE.held_out(REVERSE.batch_size)
    ways = {}
    for name, trainer in trainers(0).items():
        for group in trainer.optimizer.param_groups:
            group["lr"] = 1e-4
        model = trainer.model.train()
        ways[name] = partial(train_step, model, trainer.optimizer, batch, clip=trainer.clip)
    return ways


class TorchGPT(DecoderModel):
    """A GPT of ours with torch.nn's layers, and the same initial weights."""

    def __init__(self, ours: DecoderModel):
        """Copy all of `ours` except its layers, and their weights."""
        nn.Module.__init__(self)
        self.embeddings, self.output = deepcopy((ours.embeddings, ours.output))
        self.start_id = ours.start_id
        layer = nn.TransformerEncoderLayer(
            GPT.d_model, GPT.heads, GPT.d_ff, dropout=0.0, batch_first=True, norm_first=True
        )
        norm = nn.LayerNorm(GPT.d_model)
        self.decoder = nn.TransformerEncoder(layer, GPT.layers, norm, enable_nested_tensor=False)
        self.decoder.load_state_dict(_packed(ours.decoder, self.decoder, ENCODER))

    def read(self, ids: Tensor, real: Tensor | None = None, cache: None = None) -> Tensor:
        """Return the output of torch.nn's layers under a causal mask."""
        blocked = to_blocked(causal_mask(ids.size(1)))
        return self.decoder(self.embeddings(ids), mask=blocked, is_causal=True)


def gpt_steps() -> dict[str, Callable[[], float]]:
    """Return one training step of a GPT of each kind, on passages of Shakespeare."""
    torch.manual_seed(0)
    ours = DecoderModel(GPT)
    batch = passages(16, torch.Generator().manual_seed(0))
    ways = {}
    for name, model in {"ours, a GPT": ours, "PyTorch, a GPT": TorchGPT(ours)}.items():
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
        ways[name] = partial(train_step, model, optimizer, batch, clip=1.0)
    return ways


def steps_to_mastery(trainer: Trainer, dtype: torch.dtype) -> int:
    """Train until the goal is reached; return the number of steps."""
    trainer.model.to(dtype)
    held_out = REVERSE.held_out()
    while trainer.step < 2 * REVERSE.steps:
        trainer.run(trainer.step + EVERY)
        if exact_match(trainer.model, held_out) >= GOAL:
            return trainer.step
    raise RuntimeError(f"{GOAL:.0%} were not reached in {trainer.step} steps.")


def measure(rounds: int = 60, runs: int = 5, seeds: int = 5) -> str:
    """Time a step and count the steps to mastery; return the report."""
    times = clock.runs(steps(), rounds, runs)
    rows = []
    for name, some in times.items():
        row = [name, f"{median(some):.2f}", clock.ratio(some, times["PyTorch"])]
        for dtype in (torch.float32, torch.float64):
            needed = [steps_to_mastery(trainers(seed)[name], dtype) for seed in range(seeds)]
            row.append(f"{median(needed):.0f} ({', '.join(map(str, needed))})")
        rows.append(row)
    times = clock.runs(gpt_steps(), rounds // 2, runs)
    for name, some in times.items():
        ratio = clock.ratio(some, times["PyTorch, a GPT"])
        rows.append([name, f"{median(some):.2f}", ratio, "", ""])
    header = ["layers", "a step, ms", "÷ PyTorch", "steps to mastery, float32", "float64"]
    what = WHAT.format(
        batch=REVERSE.batch_size,
        d_model=REVERSE.config.d_model,
        layers=GPT.layers,
        wide=GPT.d_model,
        runs=runs,
        goal=GOAL,
        every=EVERY,
        seeds=seeds,
    )
    return f"{report.table(header, rows)}\n\n{what}"
