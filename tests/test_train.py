"""transformer_lab.train: schedules, one step, and trainings that end alike however they go."""

import math
import pickle
from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import nn

from transformer_lab import train
from transformer_lab.embedding import untied_output
from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.train import Trainer, cosine_schedule, noam_schedule, train_step

CONFIG = ModelConfig(vocabulary=9, d_model=8, heads=2, d_ff=16, layers=1, dropout=0.2)
SCHEDULE = partial(cosine_schedule, peak=0.01, warm_up=5, steps=20)


def batches(size, generator):
    return {"targets": torch.randint(9, (size, 5), generator=generator)}


def trainer(*, model=None, **settings):
    settings = {"schedule": SCHEDULE, "batch_size": 4} | settings
    if model is None:
        torch.manual_seed(0)
        model = DecoderModel(CONFIG)
    return Trainer(model, batches, **settings)


def trained(trainer):
    state = [*trainer.model.state_dict().values()]
    for moments in trainer.optimizer.state_dict()["state"].values():
        state += moments.values()
    return [tensor.tolist() for tensor in state], trainer.history


def step_of(model, clip, learning_rate=1.0):
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
    before = [p.detach().clone() for p in model.parameters()]
    loss = train_step(model, optimizer, {}, clip=clip)
    moves = [b - p.detach() for b, p in zip(before, model.parameters(), strict=True)]
    return loss, torch.cat([move.flatten() for move in moves])


class Slope(nn.Module):
    """A loss whose gradient is as long as told: 3, 4 by default, so 5."""

    def __init__(self, *slopes):
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.ones(())) for _ in slopes)
        self.slopes = slopes

    def loss(self):
        return sum(slope * weight for slope, weight in zip(self.slopes, self.weights, strict=True))


def test_the_papers_schedule_rises_in_a_line_and_falls_with_the_root():
    rates = {step: noam_schedule(step, d_model=512, warm_up=4000) for step in (1, 2000, 4000)}
    assert rates[4000] == pytest.approx(1 / math.sqrt(512 * 4000))
    assert rates[4000] == pytest.approx(2 * rates[2000])
    assert rates[4000] == pytest.approx(4000 * rates[1])
    assert noam_schedule(16000, d_model=512) == pytest.approx(rates[4000] / 2)


@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step:UserWarning")
def test_the_cosine_schedule_is_that_of_torch():
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.3)
    up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1 / 6, total_iters=5)
    down = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=15)
    theirs = torch.optim.lr_scheduler.SequentialLR(optimizer, [up, down], milestones=[5])
    for step in range(1, 22):
        ours = cosine_schedule(step, peak=0.3, warm_up=6, steps=20)
        assert ours == pytest.approx(theirs.get_last_lr()[0], abs=1e-12)
        theirs.step()
    assert cosine_schedule(100, peak=0.3, warm_up=6, steps=20) == 0


def test_a_step_goes_down_the_gradient():
    loss, move = step_of(Slope(3.0, 4.0), clip=10.0)
    assert loss == 7
    assert move.tolist() == [3, 4]


def test_a_long_gradient_is_shortened_and_keeps_its_direction():
    _, move = step_of(Slope(3.0, 4.0), clip=1.0)
    torch.testing.assert_close(move, torch.tensor([0.6, 0.8]))


def test_an_old_gradient_of_another_model_moves_nothing():
    model, other = Slope(3.0, 4.0), nn.Parameter(torch.ones(()))
    other.grad = torch.ones(())
    train_step(model, torch.optim.SGD([*model.parameters(), other], lr=1.0), {}, clip=10.0)
    assert other == 1


def test_an_old_gradient_of_what_the_optimizer_does_not_move_is_forgotten_too():
    model = Slope(3.0, 4.0)
    optimizer = torch.optim.SGD(model.weights[:1], lr=1.0)
    for step in (1, 2):
        train_step(model, optimizer, {}, clip=1.0)
        assert model.weights[0].item() == pytest.approx(1 - 0.6 * step)


@pytest.mark.parametrize("slope", [math.nan, math.inf])
def test_a_loss_that_is_no_number_changes_nothing(slope):
    model = Slope(slope, 4.0)
    with pytest.raises(ValueError, match=f"{slope} "):
        step_of(model, clip=1.0)
    assert all(weight == 1 for weight in model.weights)


def test_a_gradient_that_is_no_number_is_refused_though_the_loss_is_one():
    class Root(Slope):
        def loss(self):
            return (self.weights[0] - 1).sqrt()

    with pytest.raises(ValueError, match="inf"):
        step_of(Root(1.0), clip=1.0)


def test_the_learning_rate_is_the_schedules():
    rates = []
    taught = trainer(schedule=lambda step: step / 1000)
    taught.optimizer.register_step_pre_hook(
        lambda optimizer, *_: rates.append(optimizer.param_groups[0]["lr"])
    )
    taught.run(3)
    assert rates == [0.001, 0.002, 0.003]


def test_the_same_seed_gives_the_same_training_whatever_else_is_drawn():
    first, second = trainer(seed=3), trainer(seed=3)
    first.run(6)
    for step in range(1, 7):
        torch.manual_seed(step)
        second.run(step, measure=lambda model: torch.rand(()).item(), every=2)
    assert trained(first)[0] == trained(second)[0]
    assert first.history.losses == second.history.losses


def test_trainings_of_neighbouring_seeds_share_no_batch():
    seen = []

    def make_batch(size, generator):
        seen.append(batches(size, generator)["targets"])
        return {"targets": seen[-1]}

    for seed in range(3):
        Trainer(DecoderModel(CONFIG), make_batch, schedule=SCHEDULE, seed=seed).run(3)
    assert len({str(ids.tolist()) for ids in seen}) == 9


def test_training_draws_nothing_from_the_global_dice():
    torch.manual_seed(5)
    expected = torch.rand(3)
    taught = trainer()
    torch.manual_seed(5)
    taught.run(2)
    assert torch.equal(torch.rand(3), expected)


def test_resumed_training_is_uninterrupted_training_to_the_last_bit(tmp_path):
    measure = {"measure": lambda model: model.loss(torch.ones(2, 3).long()).item(), "every": 4}
    whole = trainer()
    whole.run(20, **measure)
    half = trainer()
    half.run(12, **measure)
    half.save(tmp_path / "half.pt")
    torch.manual_seed(9)
    rest = trainer(model=DecoderModel(CONFIG))
    rest.resume(tmp_path / "half.pt")
    assert rest.step == 12
    rest.run(20, **measure)
    assert trained(rest) == trained(whole)
    assert list(whole.history.measured) == [4, 8, 12, 16, 20]


def test_an_interrupted_training_just_goes_on():
    whole, stopped = trainer(), trainer()
    whole.run(6)

    def interrupt(size, generator):
        if stopped.step == 3:
            raise KeyboardInterrupt
        return batches(size, generator)

    stopped.make_batch = interrupt
    with pytest.raises(KeyboardInterrupt):
        stopped.run(6)
    assert not stopped.model.training
    stopped.make_batch = batches
    stopped.run(6)
    assert trained(stopped) == trained(whole)


def test_measuring_is_done_without_dropout_and_without_gradients():
    seen = []
    taught = trainer()
    taught.run(4, measure=lambda model: seen.append(torch.is_grad_enabled()) or model.training)
    taught.run(5, measure=lambda model: seen.append(torch.is_grad_enabled()) or model.training,
               every=5)  # fmt: skip
    assert seen == [False]
    assert taught.history.measured == {5: 0.0}
    assert not taught.model.training


def test_a_checkpoint_is_not_overwritten_unless_told(tmp_path):
    path, taught = tmp_path / "mine.pt", trainer()
    path.write_text("mine")
    with pytest.raises(ValueError, match="overwrite=True"):
        taught.save(path)
    assert path.read_text() == "mine"
    taught.save(path, overwrite=True)
    trainer().resume(path)


def test_a_checkpoint_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path, taught = tmp_path / "mine.pt", trainer()
    taught.save(path)
    before = path.read_bytes()

    def full_disk(checkpoint, file):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(train.torch, "save", full_disk)
    taught.run(1)
    with pytest.raises(OSError, match="no space"):
        taught.save(path, overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.pt"]
    assert path.read_bytes() == before


class Trap:
    def __reduce__(self):
        return print, ("trapped",)


def broken_files():
    return {
        "text": b"no checkpoint",
        "nothing": b"",
        "other": None,
        "trap": pickle.dumps({"settings": {}, "model": Trap()}, protocol=2),
    }


@pytest.mark.parametrize("kind", broken_files())
def test_a_file_that_is_no_checkpoint_is_refused_unread(tmp_path, kind, capsys):
    path = tmp_path / "x.pt"
    content = broken_files()[kind]
    torch.save([1, 2], path) if content is None else path.write_bytes(content)
    with pytest.raises(ValueError, match="checkpoint"):
        trainer().resume(path)
    assert "trapped" not in capsys.readouterr().out


@pytest.mark.parametrize("other", [{"seed": 1}, {"batch_size": 5}, {"clip": 2.0}], ids=str)
def test_a_trainer_with_other_settings_cannot_resume(tmp_path, other):
    trainer().save(tmp_path / "x.pt")
    with pytest.raises(ValueError, match=r"'batch_size': 4"):
        trainer(**other).resume(tmp_path / "x.pt")


@pytest.mark.parametrize(
    ("change", "named"),
    [({"vocabulary": 10}, r"embeddings.tokens.weight is \(9, 8\)"),
     ({"output": untied_output}, "tensors")],
)  # fmt: skip
def test_another_model_cannot_resume_and_stays_as_it_is(tmp_path, change, named):
    trainer().save(tmp_path / "x.pt")
    other = trainer(model=DecoderModel(replace(CONFIG, **change)))
    before = trained(other)
    with pytest.raises(ValueError, match=named):
        other.resume(tmp_path / "x.pt")
    assert trained(other) == before
