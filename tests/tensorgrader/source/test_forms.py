"""What becomes of the solutions in a source: stubs, folds, marks."""

import pytest

from lab_notebooks.notebooks import read_notebook
from lab_notebooks.sources import root, sources
from tensorgrader.source.forms import release_text, solved_text, student_text

SOURCE = '''def f(x):
    """Say what."""
    ### BEGIN SOLUTION
    y = x
    return y
    ### END SOLUTION

def g(x):
    """Keep me."""
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION
'''
MEND = """def f(x):
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION
    ### BEGIN STUB
    return -x
    ### END STUB
"""
PAGE = """# Page

```{{code-cell}} ipython3
---
nbgrader: {{grade_id: f}}
---
{}```

<details><summary>Hint</summary>

Think.

</details>

```{{code-cell}} ipython3
check("f", f)
```
"""
EXERCISES = [name for name in sources() if name.startswith("exercises/")]


def test_a_stub_stands_for_each_solution_and_names_its_function():
    text = release_text(SOURCE)
    assert text.count("raise NotImplementedError") == 2
    assert '    """Say what."""\n    raise NotImplementedError("write f,' in text
    assert '    """Keep me."""\n    raise NotImplementedError("write g,' in text
    assert "return" not in text
    compile(text, "stub", "exec")


def test_code_to_mend_is_its_own_stub():
    assert release_text(MEND) == "def f(x):\n    return -x\n"
    assert solved_text(MEND) == "def f(x):\n    return x\n"
    assert release_text(MEND + SOURCE).count("raise NotImplementedError") == 2


def test_solved_keeps_the_code_and_drops_the_marks():
    names = {}
    exec(solved_text(SOURCE), names)
    assert "SOLUTION" not in solved_text(SOURCE)
    assert names["f"](3) == names["g"](3) == 3


@pytest.mark.parametrize("code", [SOURCE, MEND])
def test_a_learners_solution_is_folded_away_below_the_hints(code):
    told = student_text(PAGE.format(code))
    folded = told.partition('<details class="solution">')[2]
    assert folded.startswith(f"<summary>Solution</summary>\n\n```python\n{solved_text(code)}```")
    assert told.index("Think.") < told.index("Solution</summary>") < told.index("check(")
    assert release_text(code) in told
    fold = f'<details class="solution">{folded.partition("</details>")[0]}</details>\n\n'
    assert told.replace(fold, "") == release_text(PAGE.format(code))


@pytest.mark.parametrize("name", EXERCISES)
def test_a_release_tells_no_solution_and_a_learners_notebook_each_once(name):
    text = (root() / f"{name}.md").read_text("utf8")
    answers = [
        c.id for c in read_notebook(name).cells if c.metadata.get("nbgrader", {}).get("solution")
    ]
    assert student_text(text).count('<details class="solution">') == len(answers)
    assert "Solution</summary>" not in release_text(text)
    solved = {c.id: c.source for c in read_notebook(name, solved_text).cells}
    shown = "\n".join(c.source for c in read_notebook(name).cells if c.cell_type == "markdown")
    assert all(solved[id] in shown for id in answers)


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_has_one_to_three_hints_each_inside_the_one_before(name):
    cells = read_notebook(name, release_text).cells
    for number, cell in enumerate(cells):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            hints = cells[number + 1].source
            count = hints.count('<details class="hint">')
            summaries = [f"<summary>Hint {n}</summary>" for n in range(1, count + 1)]
            assert 1 <= count <= 3, cell.id
            assert [line[line.index("<summary>") :] for line in hints.splitlines()
                    if "<summary>" in line] == summaries, cell.id  # fmt: skip
            assert hints.endswith("\n\n</details>" * count), cell.id
