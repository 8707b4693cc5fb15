"""transformer_lab.tasks.task: what all tasks have in common."""

from dataclasses import replace

import pytest
import torch

from transformer_lab.tasks import language_tasks, shakespeare, symbol_tasks
from transformer_lab.tasks.task import START, Task, ids_of

TASKS = {
    name: task
    for module in (symbol_tasks, language_tasks, shakespeare)
    for name, task in vars(module).items()
    if isinstance(task, Task)
}
every_task = pytest.mark.parametrize("name", TASKS)


def dice(seed=0):
    return torch.Generator().manual_seed(seed)


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


@every_task
def test_batches_depend_on_the_generator_and_on_nothing_else(name):
    make_batch = TASKS[name].make_batch
    torch.manual_seed(1)
    first = make_batch(7, dice())
    torch.manual_seed(2)
    assert same(first, make_batch(7, dice()))
    assert not same(first, make_batch(7, dice(1)))


@every_task
def test_a_batch_fits_the_model_and_the_symbols(name):
    task = TASKS[name]
    assert len(task.symbols) == len(set(task.symbols)) == task.config.vocabulary
    assert task.symbols[task.config.start_id] == START
    batch = task.held_out(300)
    assert {len(tensor) for tensor in batch.values()} == {300}
    trainer = task.trainer()
    with torch.no_grad():
        trainer.model.loss(**batch)  # the longest text of many has a position
    assert 0 <= task.measure(trainer.model, batch) < 0.6


@every_task
def test_held_out_batches_stay_and_are_not_trained_on(name):
    task = TASKS[name]
    assert same(task.held_out(20), task.held_out(20))
    seen = []
    trainer = replace(task, make_batch=lambda *a: seen.append(task.make_batch(*a)) or seen[-1])
    trainer.trainer().run(1)
    assert not same(seen[0], task.held_out(task.batch_size))


def test_a_trainer_is_drawn_with_its_seed_and_leaves_the_global_dice_alone():
    task = TASKS["REVERSE"]
    torch.manual_seed(4)
    expected = torch.rand(2)
    torch.manual_seed(4)
    first, again, other = (task.trainer(seed=seed) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(2), expected)
    assert same(first.model.state_dict(), again.model.state_dict())
    assert not same(first.model.state_dict(), other.model.state_dict())
    assert (first.seed, other.seed) == (1, 2)


def test_a_trainer_takes_the_tasks_schedule():
    task = TASKS["REVERSE"]
    trainer = task.trainer()
    rates = [trainer.schedule(step) for step in range(1, task.steps + 1)]
    assert max(rates) == task.learning_rate
    assert rates[-1] < 0.01 * task.learning_rate
    assert trainer.batch_size == task.batch_size


def test_ids_are_padded_with_zero_and_say_what_is_real():
    ids, real = ids_of(["ba", "a", "abb"], ["·", "a", "b"])
    assert ids.tolist() == [[2, 1, 0], [1, 0, 0], [1, 2, 2]]
    assert real.tolist() == [[True, True, False], [True, False, False], [True, True, True]]
