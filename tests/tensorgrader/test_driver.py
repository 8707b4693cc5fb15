"""What cannot be called by itself, such as a class, is tried by a driver of the course's."""

import pytest
import torch

from tensorgrader.exercise import Exercise, Inputs
from tensorgrader.find_answer import source_of
from tensorgrader.grade import grade_submission
from tensorgrader.outcome import Missing, Raised, Returned
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.sandbox.values import Made
from tensorgrader.trial import Questions
from tests.course import CHAPTERS, parse_submission
from tests.sweeps import few
from tests.tensorgrader.asking import as_cell, here, run
from tests.written import solutions

SCALE = """class Scale:
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return x * self.factor
"""


class Scale:
    """Multiply by a number."""

    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return x * self.factor


def drive(answer, x, factor):
    made = answer(factor)
    return made.forward(x), made.forward(torch.ones(2))


EXERCISE = Exercise("course.basics.scale", Scale, {"one": "", "two": ""}, "Here", driver=drive)


@EXERCISE.requires("It multiplies.", points=1)
def values(draw):
    return [Inputs((draw.normal(n), 3.0)) for n in (2, 3, 4)]


QUESTIONS = Questions(EXERCISE, 0).drawn("values", values)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


def tried(sandbox, code):
    sandbox.begin()
    assert run(sandbox, code) is None
    return list(sandbox.call("Scale", [question.inputs for question in QUESTIONS]))


def test_a_worker_drives_a_class_and_says_what_came_of_it(sandbox):
    outcomes = tried(sandbox, SCALE)
    for question, outcome in zip(QUESTIONS, outcomes, strict=True):
        assert isinstance(outcome, Returned)
        for mine, right in zip(outcome.value, question.expected, strict=True):
            assert torch.allclose(mine, right)
    assert QUESTIONS[0].expected[1].tolist() == [3.0, 3.0]


def test_what_a_class_raises_is_told_by_its_own_line(sandbox):
    outcome, *_ = tried(sandbox, SCALE.replace("x * self.factor", "x @ self.factor"))
    assert isinstance(outcome, Raised)
    assert (outcome.line, outcome.code) == (6, "return x @ self.factor")


def test_a_class_that_is_missing_is_missing(sandbox):
    assert tried(sandbox, "Scales = 1") == [Missing("Scale")]


def test_a_driver_crosses_the_pipe_with_its_question_only():
    assert all(isinstance(question.inputs.driver, Made) for question in QUESTIONS)
    assert not any(question.inputs.driver.given for question in QUESTIONS)


def test_the_source_of_a_class_in_a_notebook_is_found():
    code, names = f"import torch\n{SCALE}", {"__name__": "__main__"}
    exec(compile(code, as_cell(code), "exec"), names)
    assert source_of(names["Scale"]) == SCALE.rstrip()


def test_a_ready_made_within_a_class_is_refused():
    exercise = next(e for e in CHAPTERS["whole_model"].exercises if e.function == "Attention")
    code = "class Attention:\n    def forward(self, x):\n        return F.{}(x, x, x)"
    ready, name = {}, "scaled_dot_product_attention"
    cell = code.format(name)
    exec(compile(cell, as_cell(cell), "exec"), ready)
    assert here(exercise, ready["Attention"]).ready_made() == f"F.{name}"


def test_a_notebook_is_graded_and_a_module_blames_the_one_it_calls(submit):
    """Of an answer that is not right, others that use it tell, and nothing else."""
    attention = solutions("whole_model")["whole_model-attention"].replace("tril()", "triu()")
    raw = submit({"whole_model-attention": attention}, chapter="whole_model").read_bytes()
    grade = grade_submission("", parse_submission(raw), 0)
    wrong = {result.exercise.function for result in grade.results if result.finding}
    assert wrong == {"Attention", "Block", "GPT", "from_smollm2"}
    (block,) = [r for r in grade.results if r.finding and r.exercise.function == "Block"]
    assert block.wrong_steps == ("Attention",)


def test_a_class_that_nobody_has_begun_is_not_run(submit):
    raw = submit(chapter="whole_model", stub=True).read_bytes()
    submission = parse_submission(raw)
    grade = grade_submission("", submission, 0)
    assert grade.earned == 0
    told = {r.case.outcome.type for r in grade.results if r.case}
    assert told == {"NotImplementedError"}
    assert not grade.seconds  # no call was made


CLASS = """class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
"""
RIGHT = """
    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))
"""


def test_parameters_that_do_not_fit_are_told_by_their_names(submit):
    others = CLASS + RIGHT
    bias = others.replace("(hidden, width, bias=False)", "(hidden, width)")
    both = "nn.Linear(width, 2 * hidden, bias=False)"
    fused = others.replace("up = nn.Linear(width, hidden, bias=False)", f"both = {both}")
    for code, name in ((bias, "down.bias"), (fused, "both.weight")):
        raw = submit({"whole_model-feed-forward": code}, chapter="whole_model").read_bytes()
        results = grade_submission("", parse_submission(raw), 0).results
        (wrong,) = [r for r in results if r.exercise.function == "FeedForward"]
        assert name in wrong.finding.words


#: What an answer tries instead of computing what is asked.
ATTACKS = {
    "looks for a right result in the frames around it": """
    def forward(self, x):
        import sys
        frame, found = sys._getframe(), x
        while frame := frame.f_back:
            for value in frame.f_locals.values():
                if torch.is_tensor(value) and value.shape == x.shape and value is not x:
                    found = value + 0 * self.up.weight.sum()
        return found
""",
    "looks for one among all objects": """
    def forward(self, x):
        import gc
        like = [o for o in gc.get_objects() if torch.is_tensor(o) and o.shape == x.shape]
        return like[-1] + 0 * self.up.weight.sum()
""",
    "equals everything": """
    def forward(self, x):
        class Equal(torch.Tensor):
            def __eq__(self, other):
                return torch.ones_like(other, dtype=torch.bool)
        return (x + 0 * self.up.weight.sum()).as_subclass(Equal)
""",
    "patches what trains and what is read": """
    def forward(self, x):
        torch.Tensor.backward = lambda *_, **__: None
        nn.Module.parameters = lambda *_: iter(())
        return x * self.up.weight.sum()
""",
    "writes its own parameters and state": """
    def parameters(self, recurse=True):
        return iter([self.up.weight, self.gate.weight, self.down.weight])
    def load_state_dict(self, *_, **__):
        raise SystemExit
    def state_dict(self, *_, **__):
        return {}
    def forward(self, x):
        return x * self.up.weight.sum()
""",
    "imports what it should be": """
    def forward(self, x):
        from transformer_lab import SwiGLU
        return SwiGLU(x.size(-1), 4)(x)
""",
}


@pytest.mark.parametrize(
    "why", few(ATTACKS, "looks for one among all objects", "patches what trains and what is read")
)
def test_a_module_that_attacks_its_driver_earns_nothing(submit, why):
    raw = submit({"whole_model-feed-forward": CLASS + ATTACKS[why]}, chapter="whole_model")
    grade = grade_submission("", parse_submission(raw.read_bytes()), 0)
    results = [r for r in grade.results if r.exercise.function == "FeedForward"]
    assert all(result.finding for result in results)
    others = {"merge_pair", "Attention", "loss", "choose"}
    assert not [r for r in grade.results if r.finding and r.exercise.function in others]
