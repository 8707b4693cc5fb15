"""A learner's GPT as one file: theirs where it is right, ours and marked where it is not."""

import json
import os
import subprocess
import sys

import pytest

from lab_notebooks import assemble, cli
from lab_notebooks.notebooks import read_notebook
from page.book import begin as notebook_of_a_page
from tensorgrader.source.forms import solved_text
from tests.course import COURSE
from tests.written import solutions, stubs

SOLVED = solutions("whole_model")


def written(folder, answers=(), chapter="whole_model"):
    notebook = json.loads(json.dumps(read_notebook(f"exercises/{chapter}", solved_text)))
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = dict(answers).get(name, cell["source"])
    path = folder / f"{chapter}.ipynb"
    path.write_text(json.dumps(notebook), "utf8")
    return path


def test_the_file_trains_and_writes_with_torch_alone(tmp_path, capsys):
    yours, path = written(tmp_path), tmp_path / "my_gpt.py"
    assert cli.main(["assemble", str(yours), "--to", str(path)]) == 0
    assert "all of it" in capsys.readouterr().out
    text = path.read_text("utf8")
    for source in SOLVED.values():
        assert source.strip() in text
    (tmp_path / "play.txt").write_text("A rose is a rose is a rose. " * 40, "utf8")
    hidden = tmp_path / "hidden"  # the book's own packages are not to be had
    for name in ("transformer_lab", "tensorgrader", "lab_notebooks"):
        (hidden / name).mkdir(parents=True)
        (hidden / name / "__init__.py").write_text("raise ImportError", "utf8")
    done = subprocess.run(
        [sys.executable, str(path), "--text", "play.txt", "--steps", "8", "--count", "20",
         "--merges", "9"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(hidden)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("perplexity") == 2
    assert len(done.stdout.splitlines()[-1]) > 10


def test_what_is_missing_or_wrong_is_ours_and_marked(tmp_path, capsys):
    stub, block = stubs("whole_model")["whole_model-generate"], SOLVED["whole_model-block"]
    post_norm = block.replace("self.attention(self.attention_norm(x))", "self.attention(x)")
    given = {"whole_model-generate": stub, "whole_model-block": post_norm}
    notebook = written(tmp_path, given)
    made = assemble.assemble(COURSE, notebook)
    assert set(made.ours) == {"Block", "generate"}
    assert cli.main(["assemble", str(notebook), "--to", str(tmp_path / "my_gpt.py")]) == 0
    yours, ours = capsys.readouterr().out.splitlines()[1:3]
    assert "Attention" in yours
    assert "Block, generate" in ours
    for name in ("whole_model-block", "whole_model-generate"):
        (marked,) = (p for p in made.text.split("\n\n\n") if f"({name})" in p)
        assert SOLVED[name].strip() in marked
    assert "NotImplementedError" not in made.text


def test_a_part_of_ours_has_the_names_by_which_right_answers_ask_for_it(tmp_path):
    """Only the mask is wrong; the file's weights go to layers of other names than ours."""
    attention, load = SOLVED["whole_model-attention"], SOLVED["whole_model-from-smollm2"]
    names = {"query": "q_layer", "key": "k_layer", "value": "v_layer", "output": "mixer"}
    for old, new in names.items():
        attention = attention.replace(f"self.{old}", f"self.{new}")
        load = load.replace(f"attention.{old}", f"attention.{new}")
    given = {
        "whole_model-attention": attention.replace("tril()", "triu()"),
        "whole_model-from-smollm2": load,
    }
    made = assemble.assemble(COURSE, written(tmp_path, given))
    assert made.ours == ("Attention",)
    assert load.strip() in made.text
    assert "self.mixer = nn.Linear" in made.text


def test_what_is_imported_of_earlier_chapters_stands_in_it(tmp_path):
    imports = "from my_gpt import masked_softmax, attention as attend\n\n\n"
    loss = f"{imports}{SOLVED['whole_model-loss']}\n\n\nkept = attend, masked_softmax\n"
    mine = "def softmax(x):\n    return (x - x.logsumexp(-1, keepdim=True)).exp()\n"
    notebook = written(tmp_path, {"whole_model-loss": loss})
    written(tmp_path, {"attention-softmax": mine}, "attention")
    made = assemble.assemble(COURSE, notebook)
    assert made.ours == ("masked_softmax",)
    assert mine in made.text
    assert "my_gpt import" not in made.text
    checks = "\nassert kept == (attention, masked_softmax)\n"
    exec(made.text + checks, {"__name__": "my_gpt", "__file__": "my_gpt.py"})


@pytest.mark.parametrize("mine", ["my own", None])
def test_a_file_that_was_changed_is_left_as_it_is(tmp_path, capsys, mine):
    yours, path = written(tmp_path), tmp_path / "my_gpt.py"
    if mine is None:
        path.write_text(assemble.assemble(COURSE, yours).text, "utf8")
        assert not assemble.is_changed(path)
        mine = path.read_text("utf8") + "# and a line of mine\n"
    path.write_text(mine, "utf8")
    assert cli.main(["assemble", str(yours), "--to", str(path)]) == 2
    assert "--to" in capsys.readouterr().err
    assert path.read_text("utf8") == mine


def test_another_notebook_or_none_is_told(tmp_path, capsys):
    assert cli.main(["assemble", str(tmp_path / "no.ipynb")]) == 2
    assert "no.ipynb" in capsys.readouterr().err


def test_a_page_gives_the_same_file(tmp_path):
    """The page knows what holds from its checks; here one answer does not, and one is imported."""
    imports = "from my_gpt import softmax\n\n\n"
    answers = SOLVED | {
        "whole_model-loss": f"{imports}{SOLVED['whole_model-loss']}\n\n\nkept = softmax\n",
        "whole_model-generate": stubs("whole_model")["whole_model-generate"],
    }
    notebook = written(tmp_path, answers)
    written(tmp_path, {}, "attention")
    made = assemble.assemble(COURSE, notebook)
    properties = [p.id for e in COURSE.exercises.values() for p in e.properties]
    asked = {
        "file": True,
        "earlier": answers | solutions("attention"),
        "held": {name: "-generate-" not in name for name in properties},
    }
    frame = json.loads(notebook_of_a_page().answer(json.dumps(asked)))["frame"]
    assert made.ours == ("generate",)
    assert "but for generate" in frame["said"]
    assert frame["text"] == made.text.partition("\n")[2]
