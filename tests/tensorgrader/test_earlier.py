"""`from my_gpt import softmax`: the answer of the same hand-in if it is right, else ours."""

import sys

import pytest
import torch

from tensorgrader.classes.grade_class import Settings, grade_student
from tensorgrader.classes.submissions import HandedIn
from tensorgrader.earlier import Finder, imported
from tensorgrader.grade import grade_notebook, grade_submission
from tests.course import COURSE, parse_submission
from tests.written import solutions

CHOOSE = solutions("whole_model")["whole_model-choose"]
OWN = CHOOSE.replace("(logits / temperature).softmax(dim=-1)", "softmax(logits / temperature)")
IMPORTS = f"from my_gpt import softmax\n\n\n{OWN}"
MARKED = """def softmax(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    softmax.calls = getattr(softmax, "calls", 0) + 1
    return e / e.sum(-1, keepdim=True)
"""
WRONG = "def softmax(x):\n    return x * 0\n"
ID = "whole_model-choose"


@pytest.fixture
def hand_in(submit, tmp_path):
    def written(answer, softmax=None, name="whole_model.ipynb"):
        path = submit({ID: answer}, chapter="whole_model").rename(tmp_path / name)
        if softmax:
            submit({"attention-softmax": softmax}).rename(tmp_path / "attention.ipynb")
        return path

    return written


def judged(path):
    grade = grade_notebook(COURSE, path, 0)
    return [result for result in grade.results if result.exercise.id == ID]


def test_what_an_answer_imports_is_found_without_running_it():
    sources = ["from my_gpt import a, b as c", "import my_gpt\nmy_gpt.d(1)", "def f(: my_gpt"]
    assert imported("my_gpt", sources) == {"a", "b", "d"}
    assert imported("my_gpt", ["import my_gpt as m"]) == {"*"}
    assert not imported("my_gpt", ["from yours import a", "my = 'my_gpt'"])


def test_without_an_answer_of_theirs_ours_serves_and_is_told(hand_in):
    results = judged(hand_in(IMPORTS))
    assert not any(result.finding for result in results)
    assert "`softmax`" in results[0].earlier


def test_it_is_told_only_of_the_answers_that_use_it(submit, tmp_path):
    other = solutions("whole_model")["whole_model-perplexity"]
    answers = {ID: IMPORTS, "whole_model-perplexity": f"{other}\n# torch.softmax would be another"}
    grade = grade_notebook(COURSE, submit(answers, chapter="whole_model"), 0)
    told = {result.exercise.id for result in grade.results if result.earlier}
    assert told == {ID}


def test_a_right_answer_beside_it_is_the_one_that_runs(hand_in):
    counts = f"{IMPORTS}\n\nif hasattr(softmax(torch.ones(1)), 'x') or softmax.calls: del choose"
    results = judged(hand_in(counts, MARKED))
    assert all("no function" in result.finding.words for result in results), "ours has no calls"
    results = judged(hand_in(IMPORTS, MARKED))
    assert not any(result.finding or result.earlier for result in results)


def test_a_wrong_answer_beside_it_costs_no_points_and_is_told(hand_in):
    results = judged(hand_in(IMPORTS, WRONG))
    assert not any(result.finding for result in results)
    assert "`attention-softmax`" in results[0].earlier


def test_a_neighbours_notebook_is_not_taken(hand_in):
    results = judged(hand_in(IMPORTS, MARKED, name="ana_whole_model.ipynb"))
    assert results[0].earlier


def test_of_a_student_in_a_class_all_notebooks_count(submit):
    notebooks = {
        "b.ipynb": submit({"attention-softmax": MARKED}).read_bytes(),
        "a.ipynb": submit({ID: IMPORTS}, chapter="whole_model").read_bytes(),
    }
    record = grade_student(HandedIn("ana", notebooks), Settings(COURSE, 0))
    (sheet,) = [s for s in record["notebooks"] if s["chapter"] == "whole_model"]
    (work,) = [work for work in sheet["works"] if work["id"] == ID]
    assert work["earned"] == work["points"]
    assert "attention-softmax" not in work["text"]


def test_an_earlier_answer_that_ends_its_worker_is_replaced_by_ours(submit):
    ends = "import os\nif __name__ != '__main__' or True: os._exit(0)\n" + MARKED
    raw = submit({ID: IMPORTS}, chapter="whole_model").read_bytes()
    grade = grade_submission(
        "", parse_submission(raw), 0, solved=lambda chapter: {"attention-softmax": ends}
    )
    assert not any(r.finding for r in grade.results if r.exercise.id == ID)


def test_what_comes_later_or_is_asked_here_is_not_given(hand_in):
    results = judged(hand_in("from my_gpt import choose"))
    assert all(result.finding for result in results)


@pytest.fixture
def finder():
    """Find the module in this process, as a kernel and a page do."""
    answers, told, file = {}, [], {}
    finder = Finder(COURSE, lambda chapter: answers, lambda: file, told.append)
    before = list(sys.meta_path)
    finder.install()
    yield answers, file, told
    sys.meta_path[:] = before
    finder.forget()


def test_in_a_kernel_theirs_comes_before_their_file_and_before_ours(finder):
    answers, file, told = finder
    answers["attention-softmax"] = MARKED
    mine = torch.ones(2)
    file |= {"softmax": 1, "causal_mask": mine}
    names = {}
    exec("from my_gpt import causal_mask, split_heads, softmax\nsoftmax(causal_mask)", names)
    assert names["softmax"].calls == 1
    assert names["causal_mask"] is mine
    assert names["split_heads"] is COURSE.exercises["multi_head-split"].reference
    assert "`split_heads`" in "".join(told)
    with pytest.raises(ImportError):
        exec("from my_gpt import nothing_such")
