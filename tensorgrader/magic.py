"""IPython's syntax in notebooks that Python doesn't know: %time, !ls, x?, and indented cells."""

import re

MAGIC = re.compile(
    r"([ \t]*(?:\w+[ \t]*=[ \t]*(?=[%!]))?)(?:[%!?].*|[\w.]+\?{1,2}[ \t\r]*)$", re.MULTILINE
)
#: Tokens that decide where a statement ends: strings, comments, continuations, brackets, newlines.
PIECE = re.compile(
    r"""('{3}|"{3})(?:\\.|(?!\1).)*(?:\1)?"""
    r"""|(['"])(?:\\(?:\r\n|.)|(?!\2)[^\\\n])*(?:\2)?"""
    r"""|\#[^\n]*|\\\r?\n|[][(){}\n]""",
    re.DOTALL,
)


def without_magic(text: str, number: int) -> str:
    """Replace a line of magic at which Python failed, and those after it.

    Only at the start of a statement is a % magic: the remainder operator stays.
    """
    place = sum(len(line) + 1 for line in text.split("\n")[: number - 1])
    if not MAGIC.match(text, place):
        return text
    parts = [text[:place]]
    while place < len(text):
        if magic := MAGIC.match(text, place):
            parts.append(f"{magic[1]}None")
            place = magic.end()
        end = _end_of_statement(text, place)
        parts.append(text[place:end])
        place = end
    return "".join(parts)


def outdented(text: str) -> str:
    """Remove the first line's indentation from all lines, as IPython does."""
    (indent,) = re.findall(r"\A(?:[ \t\r]*\n)*([ \t]*)", text)
    return re.sub(f"^{re.escape(indent)}", "", text, flags=re.MULTILINE) if indent else text


def _end_of_statement(text: str, place: int) -> int:
    depth = 0
    for piece in PIECE.finditer(text, place):
        depth += (piece[0] in "([{") - (piece[0] in ")]}")
        if piece[0] == "\n" and depth <= 0:
            return piece.end()
    return len(text)
