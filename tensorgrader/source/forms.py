"""The forms of an exercise's source, which differ in what becomes of the solutions.

A source marks each solution in its code, between `### BEGIN SOLUTION` and `### END SOLUTION`. Code
to be fixed follows between `### BEGIN STUB` and `### END STUB`, as the learner gets it. Each form
is a function from a whole source to another.
"""

import re

SOLUTION = re.compile(
    r"^(?P<indent>[ \t]*)### BEGIN SOLUTION\n(?P<body>.*?)^[ \t]*### END SOLUTION\n?"
    r"(?:^[ \t]*### BEGIN STUB\n(?P<stub>.*?)^[ \t]*### END STUB\n?)?",
    re.MULTILINE | re.DOTALL,
)
DEFINITION = re.compile(r"^[ \t]*(?:def|class) (\w+)", re.MULTILINE)
CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?:---\n.*?^---\n)?(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)


def student_text(text: str) -> str:
    """Replace solutions by stubs, and fold each solution away below its hints."""
    parts, folded, end = [], "", 0
    for cell in CELL.finditer(text):
        parts += [text[end : cell.start()], folded, cell[0]]
        folded, end = _fold(cell["code"]), cell.end()
    return release_text("".join([*parts, text[end:], folded and f"\n\n{folded}"]))


def release_text(text: str) -> str:
    """Replace solutions by stubs, and drop the solutions: the form for a class."""

    def stub(match: re.Match) -> str:
        if match["stub"]:
            return match["stub"]
        functions = DEFINITION.findall(text, 0, match.start())
        name = functions[-1] if functions else "this"
        words = f"write {name}, then check it"
        return f'{match["indent"]}raise NotImplementedError("{words}")\n'

    return SOLUTION.sub(stub, text)


def solved_text(text: str) -> str:
    """Keep the solutions, and drop the marks around them and the stubs after them."""
    return SOLUTION.sub(lambda match: match["body"], text)


def nbgrader_text(text: str) -> str:
    """Keep solutions with nbgrader's marks, and drop our own stubs."""
    return SOLUTION.sub(lambda match: match[0].partition("### BEGIN STUB")[0].rstrip(" \t"), text)


def _fold(code: str) -> str:
    """Return an answer cell's solution as a disclosure; "" for another cell."""
    if not SOLUTION.search(code):
        return ""
    solved = solved_text(code)
    return (
        '<details class="solution"><summary>Solution</summary>\n\n'
        f"```python\n{solved}```\n\n</details>\n\n"
    )
