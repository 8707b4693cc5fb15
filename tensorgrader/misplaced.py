"""Where an answer lies outside of its own cell, and how to bring it back."""

from tensorgrader.exercise import Exercise
from tensorgrader.submission import Submission


def astray(exercise: Exercise, submission: Submission) -> tuple[str, ...]:
    """Return notes on where else the function of an exercise is, and what became of its cell."""
    identity, function = exercise.id, exercise.function
    told = []
    if kind := submission.turned.get(identity):
        told.append(f"Its cell is {kind} now: select it and press Y to make it code again.")
    is_there = identity in submission.answers or kind
    command = submission.course.command
    fresh = f"of a fresh copy (`{command} reset`, which keeps your old notebook)"
    home = f"the cell `{identity}`{'' if is_there else f' {fresh}'}"
    holders = [other for other, names in submission.defined.items() if function in names]
    if identity in holders:
        also, move = "also ", "only its own cell counts"
    else:
        also, move = "", f"move it into {home}"
    if others := [other for other in holders if other != identity]:
        told.append(f"`{function}` is {also}in the cell of `{others[0]}`: {move}.")
    if function in submission.elsewhere:
        told.append(f"`{function}` is {also}defined in a cell that is not an answer cell: {move}.")
    return tuple(told)
