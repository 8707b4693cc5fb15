"""A whole notebook's verdict: what is right keeps its points, whatever stands beside it."""

from itertools import count, groupby

import pytest

from tensorgrader.grade_report import grade_json, grade_text, works_json
from tensorgrader.misplaced import astray
from tensorgrader.sandbox.pool import Limits
from tensorgrader.sandbox.processes import lacking
from tensorgrader.sandbox.stopwatch import Waiting
from tests.course import CHAPTERS, COURSE, grade_notebook, read_submission
from tests.tensorgrader.asking import editing, worth
from tests.written import solutions

SHADOWED = """
def greedy(table: Nothing, prompt, steps, end_id):
    written = []
    while len(written) < steps and end_id not in written:
        written.append(table[[*prompt, *written][-1]].argmax().item())
    return written
"""
HANG = "while True:\n    pass"


def by_exercise(grade):
    scores = {}
    for result in grade.results:
        name = result.exercise.function
        scores[name] = scores.get(name, 0) + result.earned
    return scores


def words(grade):
    return " ".join(grade_text(grade).split())


STEPS = ("scores", "soft_lookup", "softmax", "head_weights")
MENDED = {"head_weights": 2}
LOOKUP = "def soft_lookup(query, keys, values):\n    return (keys @ query).softmax(0) @ values"
WIDTH = """def head_weights(x, W_q, W_k):
    return (x @ W_q @ (x @ W_k).mT / W_k.size(-1) ** 0.5).softmax(-1)"""
FULL = worth("attention")
ALL = sum(FULL.values())


def test_solved_has_all_points_and_a_stub_none(submit):
    assert by_exercise(grade_notebook(submit(), 0)) == FULL
    stub = grade_notebook(submit(stub=True, name="stub.ipynb"), 0)
    assert (stub.earned, stub.points) == (0, ALL)
    for result in stub.results:
        written = "not written yet" not in result.finding.words
        assert written == (result.exercise.function in MENDED)


def test_a_notebook_of_another_version_says_so(submit):
    path = submit()
    assert grade_notebook(path, 0).outdated == ""
    with editing(path) as (notebook, cells):
        assert notebook["metadata"]["transformer_lab"]["version"] == COURSE.version
        cells["attention-lookup"]["metadata"]["nbgrader"]["grade_id"] = "attention-old-lookup"
    for version, said in (("0.1.0", "version 0.1.0"), ("", "does not say which")):
        with editing(path) as (notebook, _):
            notebook["metadata"]["transformer_lab"]["version"] = version
        grade = grade_notebook(path, 0)
        assert by_exercise(grade)["soft_lookup"] == 0
        for told in (grade.outdated, grade_json(grade)["outdated"]):
            assert said in told
            assert "`transformer-lab reset NOTEBOOK`" in told
        assert "reset NOTEBOOK" in words(grade)


def test_a_wrong_step_loses_its_points_and_is_blamed_for_the_rest(submit):
    wrong = "def scores(q, k):\n    return k @ q.mT"
    grade = grade_notebook(submit({"attention-scores": wrong}), 0)
    assert by_exercise(grade) == FULL | {"scores": 0, "attention": 0, "head": 0}
    text = grade_text(grade)
    assert "queries and keys are swapped" in text
    assert "calls your `scores`" in text
    assert text.count("calls your `") == 2  # attention calls it, and head calls attention


def test_a_partly_right_answer_keeps_part_of_its_points(submit):
    naive = "def softmax(x):\n    return x.exp() / x.exp().sum(-1, keepdim=True)"
    grade = grade_notebook(submit({"attention-softmax": naive}), 3)
    assert by_exercise(grade)["softmax"] == 5
    row = next(r for r in grade_json(grade)["results"] if r["id"] == "attention-softmax-stable")
    assert row["mistakes"] == ["the exponential overflows"]
    assert "seed 3" in grade_text(grade)


def test_one_cell_cannot_take_its_neighbours_down(submit):
    grade = grade_notebook(
        submit(
            {
                "attention-scores": "def scores(q, k):\n    return (q @",
                "attention-lookup": f"{HANG}\ndef soft_lookup(q, k, v): return v[0]",
                "attention-softmax": "raise RuntimeError('at import')",
                "attention-mend-width": "import os\nos._exit(0)",
                "attention-attention": "from torch import softmax\n"
                "def attention(q, k, v, mask=None):\n"
                "    s = q @ k.mT / k.size(-1) ** 0.5\n"
                "    if mask is not None: s = s.masked_fill(~mask, -1e9)\n"
                "    w = softmax(s, -1)\n"
                "    w = w if mask is None else w * mask\n"
                "    return w @ v, w",
            }
        ),
        0,
        limits=Limits(deadline=1.5),
    )
    assert by_exercise(grade) == FULL | dict.fromkeys(STEPS, 0)
    text = grade_text(grade)
    for said in ("syntax error in line 2", "more than 1.5 seconds", "at import", "exit code 0"):
        assert said in text


@pytest.mark.skipif(bool(lacking()), reason="nothing is stopped here")
def test_a_grade_tells_what_the_sandbox_stopped(submit):
    code = f"import os\n\n{LOOKUP}".replace("    return", "    os.system('ls')\n    return")
    grade = grade_notebook(submit({"attention-lookup": code}), 0)
    assert grade.tried == ("run a command (ls) in attention-lookup",)


def test_what_a_wrong_function_does_when_called_does_not_reach_its_neighbours(submit):
    spoils = "def scores(q, k):\n    torch.Tensor.__truediv__ = None\n    return q"
    grade = grade_notebook(submit({"attention-scores": spoils}), 0)
    lost = {"scores": 0, "attention": 0, "head": 0}  # those that call it
    assert by_exercise(grade) == FULL | lost


def test_a_hanging_call_loses_that_property_only(submit):
    code = "def scores(q, k):\n    while q.dim() > 2: pass"
    grade = grade_notebook(
        submit({"attention-scores": f"{code}\n    return q @ k.mT"}), 0, limits=Limits(deadline=0.5)
    )
    assert by_exercise(grade)["scores"] == 3
    assert by_exercise(grade)["softmax"] == 6


def test_a_notebook_has_so_much_time_and_what_is_late_is_told(submit, monkeypatch):
    monkeypatch.setattr(Waiting, "seconds", lambda waiting: 0.0)  # a busy machine waits for more
    grade = grade_notebook(submit(), 0, limits=Limits(budget=0.001))
    assert by_exercise(grade)["attention"] == 0
    assert "was not run" in words(grade)


def test_time_in_which_a_busy_machine_lets_nobody_run_is_not_counted(submit, monkeypatch):
    waited = count(step=1000)  # seconds: more at each look
    monkeypatch.setattr(Waiting, "seconds", lambda waiting: next(waited))
    grade = grade_notebook(submit(), 0, limits=Limits(budget=0.001))
    assert grade.earned == grade.points


def test_a_ready_made_that_the_source_hides_is_refused_when_it_runs(submit):
    hidden = "def softmax(x):\n    return getattr(x, 'soft' + 'max')(-1)"
    grade = grade_notebook(submit({"attention-softmax": hidden}), 0)
    assert by_exercise(grade) == FULL | {"softmax": 0}  # where attention uses it, it is allowed
    assert "ready-made `softmax`" in words(grade)


def test_missing_renamed_forbidden_and_outside_code_is_explained(submit):
    path = submit(
        {
            "attention-scores": "def score(q, k):\n    return q @ k.mT",
            "attention-lookup": "def soft_lookup(query, keys, values):\n    return root(values)",
            "attention-softmax": "def softmax(x):\n    return torch.softmax(x, dim=-1)",
            "attention-mend-width": f"%time\n{WIDTH}\nfail()",
        },
        more=["import math\ndef root(x):\n    return math.sqrt(x)"],
    )
    grade = grade_notebook(path, 0)
    text = grade_text(grade)
    assert "called `scores`" in text
    assert "`root` in a cell" in text
    assert "ready-made `torch.softmax`" in text
    assert by_exercise(grade)["head_weights"] == 3


def test_imports_of_other_cells_are_there(submit):
    einsum = {
        "attention-scores": "def scores(q, k):\n    return t.einsum('...td,...sd->...ts', q, k)"
    }
    grade = grade_notebook(
        submit(einsum, more=["import torch as t\nimport nothing_of_the_kind"]), 0
    )
    assert by_exercise(grade) == FULL


def test_an_import_that_fails_costs_an_answer_nothing_but_its_use(submit):
    imports = "import matplotlib.pyplot as plt\nfrom transformer_lab import show_attention\n"
    right = "def scores(q, k):\n    return q @ k.mT"
    assert by_exercise(grade_notebook(submit({"attention-scores": imports + right}), 0)) == FULL
    uses = imports + "def scores(q, k):\n    plt.imshow(q)\n    return q @ k.mT"
    grade = grade_notebook(submit({"attention-scores": uses}), 0)
    assert by_exercise(grade)["scores"] == 0
    assert "`plt` is not defined" in words(grade)


def test_an_import_below_its_use_is_told_so(submit):
    answer = "@functools.cache\ndef soft_lookup(query, keys, values):\n    pass\nimport functools"
    said = "`functools` is not defined: its import fails, or comes after the line that needs it."
    grade = grade_notebook(submit({"attention-lookup": answer}), 0)
    assert said in words(grade)


def test_what_a_notebook_gives_is_not_shadowed_by_an_import(submit):
    imports = ["from torch.nn.functional import *\nfrom __future__ import annotations"]
    answer = {"full_model-greedy": SHADOWED}
    grade = grade_notebook(submit(answer, chapter="full_model", more=imports), 0)
    assert grade.earned == grade.points


def test_the_same_seed_gives_the_same_report(submit):
    undivided = WIDTH.replace(" / W_k.size(-1) ** 0.5", "")
    path = submit({"attention-mend-width": undivided})
    assert grade_text(grade_notebook(path, 4)) == grade_text(grade_notebook(path, 4))
    told = [
        [row["reason"] for row in grade_json(grade_notebook(path, n))["results"]] for n in (4, 5)
    ]
    assert told[0] != told[1]


BEFORE = {
    "display": "display(torch.ones(2))",
    "get_ipython": "get_ipython().run_line_magic('matplotlib', 'inline')",
    "the notebook's own tensor": "print(q.shape)",
    "a magic of the whole cell": "%%time",
    "a command": "!pip install torch",
    "an input": "number = int(input())",
    "a file": "torch.save(torch.ones(2), 'mine.pt')",
}


@pytest.mark.parametrize("line", BEFORE.values(), ids=BEFORE)
def test_a_statement_that_fails_costs_nothing_that_does_not_need_it(submit, line):
    rest = "def root(x):\n    return math.sqrt(x)\n"
    lookup = LOOKUP.replace("keys @ query", "keys @ query / root(1)") + "\n"
    answers = {"attention-lookup": f"{line}\n{rest}{line.lstrip('%')}\n{lookup}{line.lstrip('%')}"}
    if line[0] in "%!" or line[-1] == "?":
        answers = {"attention-lookup": f"{line}\n{rest}{lookup}"}
    assert by_exercise(grade_notebook(submit(answers), 0)) == FULL


MINE = "    e = torch.exp(x - x.amax(-1, True))\n    return e / e.sum(-1, True)\n"
RIGHT = f"def softmax(x):\n{MINE}"
MAKE = "import asyncio\nasync def make():\n    await asyncio.sleep(0.01)\n    return own\n"


def softmax_of(submit, source):
    grade = grade_notebook(submit({"attention-softmax": source}), 0)
    return by_exercise(grade)["softmax"], words(grade)


@pytest.mark.parametrize(
    "source",
    [
        f"{RIGHT}break\n",
        f"break\n{RIGHT}",
        f"{RIGHT}from __future__ import annotations\n",
        f"{RIGHT}import asyncio\nawait asyncio.sleep(0)\nprint('done')\n",
        RIGHT.replace("softmax", "own") + MAKE + "softmax = await make()\n",
        RIGHT.replace("softmax", "own") + MAKE + "softmax = asyncio.run(make())\n",
        RIGHT.replace("softmax", "own")
        + "async def each():\n    yield own\nasync for softmax in each():\n    pass\n",
        "    " + RIGHT.replace("\n", "\n    "),
    ],
)
def test_what_a_notebook_accepts_is_right(submit, source):
    points, _ = softmax_of(submit, source)
    assert points == FULL["softmax"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def softmax(x):\n    e = x.exp()\nreturn e\n", "line 3: 'return' outside function"),
        ("def softmax(x):\n    return x\nbreak\n", "line 3: 'break' outside loop"),
    ],
)
def test_what_only_the_compiler_refuses_is_told_once_with_its_line(submit, source, words):
    points, told = softmax_of(submit, source)
    assert points < FULL["softmax"]
    assert told.count(f"syntax error in {words}") == 1


def changed(path, change):
    """Change the cells of a notebook, given by their ids, and grade it; give what is told."""
    with editing(path) as (notebook, cells):
        change(cells, notebook["cells"])
    grade = grade_notebook(path, seed=1)
    text = {
        identity: " ".join(" ".join((*r.notes, r.finding.words)) for r in results if r.finding)
        for identity, results in groupby(grade.results, key=lambda result: result.exercise.id)
    }
    return grade, text


SOFTMAX = """def softmax(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)
"""


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_whose_cell_is_no_code_any_more_is_told(submit, kind):
    def turn(cells, _):
        cells["attention-softmax"] |= {"cell_type": kind, "source": SOFTMAX}

    _, told = changed(submit(), turn)
    assert "press Y" in told["attention-softmax"]
    assert ("Markdown" in told["attention-softmax"]) == (kind == "markdown")
    assert not any("press Y" in text for name, text in told.items() if name != "attention-softmax")


def test_an_answer_in_a_cell_below_its_stub_is_told_on_its_own_card(submit):
    path = submit(stub=True, more=[SOFTMAX])
    grade, told = changed(path, lambda *_: None)
    assert grade.earned == 0
    assert "cell `attention-softmax`" in told["attention-softmax"]
    assert "not written yet" in told["attention-softmax"]
    assert "not an answer cell" not in told["attention-scores"]


def test_an_answer_in_the_cell_of_another_is_told(submit):
    def merge(cells, every):
        lookup, softmax = cells["attention-lookup"], cells["attention-softmax"]
        lookup["source"] = f"{''.join(lookup['source'])}\n\n{SOFTMAX}"
        every.remove(softmax)

    _, told = changed(submit(), merge)
    assert "is missing" in told["attention-softmax"]
    assert "cell of `attention-lookup`" in told["attention-softmax"]
    assert not told["attention-lookup"]


def test_an_answer_whose_metadata_is_lost_is_told(submit):
    def lose(cells, _):
        cells["attention-softmax"]["metadata"] = {}

    _, told = changed(submit(), lose)
    assert "is missing" in told["attention-softmax"]
    assert "fresh copy" in told["attention-softmax"]


def test_of_two_versions_only_the_one_in_its_cell_counts_and_that_is_said(submit):
    path = submit({"attention-softmax": "def softmax(x):\n    return x"}, more=[SOFTMAX])
    _, told = changed(path, lambda *_: None)
    assert "also defined in a cell that is not an answer cell" in told["attention-softmax"]
    right, told = changed(submit(more=["def softmax(x):\n    return x"]), lambda *_: None)
    assert right.earned == right.points


@pytest.mark.parametrize("chapter", CHAPTERS)
@pytest.mark.parametrize("stub", [True, False])
def test_nothing_is_astray_in_the_notebooks_as_they_are(submit, chapter, stub):
    read = read_submission(submit(chapter=chapter, stub=stub))
    assert not [e.id for e in read.chapter.exercises if astray(e, read)]


SLOW = {
    "a loop below": f"{SOFTMAX}{HANG}",
    "a pause": f"import time\ntime.sleep(60)\n{SOFTMAX}",
    "in C, caught": f"try:\n    sum(range(10**18))\nexcept:\n    pass\n{SOFTMAX}",
    "training": f"def train():\n    while True: softmax(torch.ones(2))\n{SOFTMAX}x = train()",
}


@pytest.mark.parametrize("cell", SLOW.values(), ids=SLOW)
def test_slow_lines_beside_a_function_cost_nothing_and_are_told(submit, cell):
    grade = grade_notebook(submit({"attention-softmax": cell}), 0, limits=Limits(deadline=1.0))
    assert by_exercise(grade) == FULL
    assert "more than 1 seconds" in words(grade)
    works = {work["id"]: work for work in works_json(grade, {})}
    assert "slow lines" in works["attention-softmax"]["slow"]
    assert not works["attention-lookup"]["slow"]
    assert not any(work["stopped"] for work in works.values())


def test_what_makes_the_definition_slow_costs_its_points_and_is_no_call(submit):
    cell = "def softmax(x, tables=sum(range(10**18))):\n    return x"
    grade = grade_notebook(submit({"attention-softmax": cell}), 0, limits=Limits(deadline=1.0))
    assert by_exercise(grade)["softmax"] == 0
    text = words(grade)
    assert "before it defined" in text
    assert "outside of the function" not in text
    assert not any(work["stopped"] for work in works_json(grade, {}))


def test_slow_cells_take_no_more_than_the_notebooks_time(submit):
    slow = "import time\nx = [time.sleep(60)]\ny = [time.sleep(60)]\nz = [time.sleep(60)]\n"
    answers = {e.id: f"{slow}def {e.function}(x): pass" for e in CHAPTERS["attention"].exercises}
    grade = grade_notebook(submit(answers), 0, limits=Limits(deadline=0.5, budget=1.0))
    assert grade.seconds < 3.0
    assert "was not run" in grade_text(grade)


COMPILED = {
    "a decorator": f"@torch.compile\n{SOFTMAX}",
    "a call": f"{SOFTMAX}softmax = torch.compile(softmax, mode='reduce-overhead')",
    "a model": f"{SOFTMAX}class S(nn.Module):\n    forward = staticmethod(softmax)\n"
    "s = S()\ns.compile()\nsoftmax = torch.compile(s)",
}


@pytest.mark.parametrize("cell", COMPILED.values(), ids=COMPILED)
def test_what_is_compiled_is_graded_as_it_is_written(submit, cell):
    grade = grade_notebook(submit({"attention-softmax": cell}), 0)
    assert by_exercise(grade) == FULL
    assert not grade.tried
    wrong = cell.replace("e.sum(-1, keepdim=True)", "e.sum(-1, keepdim=True).detach()")
    if wrong != cell:
        grade = grade_notebook(submit({"attention-softmax": wrong}), 0)
        assert by_exercise(grade)["softmax"] < FULL["softmax"]


def test_an_error_in_what_is_given_tells_the_learners_line(submit):
    answer = "whole_model-feed-forward"
    code = solutions("whole_model")[answer].replace("self.gate(x)", "rotate(x[0, 0])")
    grade = grade_notebook(submit({answer: code}, chapter="whole_model"), 0)
    assert "in `rotate`, which your line" in words(grade)
