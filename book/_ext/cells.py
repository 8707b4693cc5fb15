"""Cells on a page: proofs as marks, sources below their pictures, figures with captions.

An author writes ordinary cells. One with the tag `proof` asserts what the text before it says: on
the page it is a mark beside that text, which a click opens. With `hide-input` the source is folded
below its output. With `hide-cell` a cell is folded with its output, and so is a cell that only
imports. A picture and the paragraph `*Figure: …*` after it make one figure. What a page needs, what
one learns from it and how long it takes is one line, which unfolds.
"""

import ast
import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

WORDS = 9  # the words that identify a text
CAPTION = "Figure: "
#: How the paragraphs begin that say what a page needs, what one learns, and how long it takes.
START = ("You need", "Afterwards you can", "Time")
#: What the mark of a proof means.
MEANS = "This code checks what the text says, whenever the book is built: "
SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)


class Figure(nodes.Element):  # type: ignore[misc]
    """A cell with a picture, and its caption. (Sphinx gives a figure of docutils' a number.)"""


class Caption(nodes.TextElement):  # type: ignore[misc]
    """The caption of a picture."""


class Fold(nodes.Element):  # type: ignore[misc]
    """A disclosure: `label` is visible, and `about` is for screen readers."""


class Proved(nodes.Element):  # type: ignore[misc]
    """A paragraph with the mark at its end, or beside it."""


#: The HTML elements of nodes; a fold has its own writer.
ELEMENTS = {Figure: "figure", Caption: "figcaption", Proved: "div"}
TEXT = (nodes.paragraph, nodes.bullet_list, nodes.enumerated_list, nodes.block_quote, *ELEMENTS)


def asserts(source: str) -> bool:
    """Return whether code asserts something."""
    return any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source)))


def only_imports(source: str) -> bool:
    """Return whether code imports, and does nothing else but call what it has imported."""
    steps = ast.parse(source).body
    kinds = {type(step.value if isinstance(step, ast.Expr) else step) for step in steps}
    imports = {ast.Import, ast.ImportFrom}
    return bool(kinds & imports) and kinds <= imports | {ast.Call}


def first_words(text: str) -> str:
    """Return the first words of a text, in quotation marks."""
    words = text.split()
    return f"“{' '.join(words[:WORDS])}{'…' if len(words) > WORDS else ''}”"


def subject(node: nodes.Element) -> str:
    """Return the first words of the text before a node; of a prediction its question only."""
    answer = False
    for one in reversed(node.parent.children[: node.parent.index(node)]):
        if isinstance(one, nodes.raw):
            if asked := SUMMARY.search(one.astext()):
                return first_words(re.sub("<[^>]*>", "", asked[1]))
            answer = "</details>" in one.astext()
        elif isinstance(one, nodes.title):
            return first_words(one.astext())
        elif isinstance(one, TEXT) and not answer:
            said = one.findall(lambda n: isinstance(n, nodes.paragraph | Caption))
            return first_words([*said][-1].astext())
    return ""


def make_figure(cell: nodes.container) -> None:
    """Make one figure of a cell with a picture and its caption."""
    caption = cell.next_node(descend=False, siblings=True)
    if not (isinstance(caption, nodes.paragraph) and caption.children):
        return
    [text, *rest] = caption.children
    if isinstance(text, nodes.emphasis) and text.astext().startswith(CAPTION):
        words = text[0].astext().removeprefix(CAPTION)
        begun = nodes.Text(words[:1].upper() + words[1:])
        figure = Figure()
        cell.replace_self(figure)
        caption.parent.remove(caption)
        figure += [cell, Caption("", "", begun, *text.children[1:], *rest)]


def fold_proof(cell: nodes.container, *, ran: bool) -> None:
    """Move the mark of a proof, and of those directly after it, beside the text before it.

    Raises ValueError if one asserts nothing, or was not run.
    """
    where, before = cell.parent, cell.parent.children[: cell.parent.index(cell)]
    proofs = [cell]
    while isinstance(after := proofs[-1].next_node(descend=False, siblings=True), nodes.container):
        if not _has(after, "proof"):
            break
        proofs.append(after)
    for proof in proofs:
        source = proof.children[0].astext()
        if not asserts(source):
            raise ValueError(f"a proof asserts nothing: {first_words(source)}. Add an `assert`")
        if not ran or proof.get("exec_count") is None:
            raise ValueError(f"a proof did not run without error: {first_words(source)}")
    fold = Fold(label="computed", about=f"the proof of {subject(cell)}", classes=["tl-proof"])
    for proof in proofs:
        where.remove(proof)
    fold += proofs
    if before and isinstance(before[-1], nodes.paragraph):
        proved = Proved()
        before[-1].replace_self(proved)
        proved += [before[-1], fold]
    else:
        where.insert(len(before), fold)


def fold_source(cell: nodes.container) -> None:
    """Fold the source of a cell, below its output, or all of the cell."""
    source, *shown = cell.children
    own = isinstance(cell.parent, Figure)
    about = first_words(cell.parent[1].astext()) if own else subject(cell)
    fold = Fold(label="code", about=f"beside {about}", classes=["tl-source"])
    if _has(cell, "hide-cell") or not shown:
        fold["label"] = "imports" if only_imports(source.astext()) else "code"
        cell.children = []
        cell += fold
        fold += [source, *shown]
    else:
        cell.remove(source)
        fold += source
        cell += fold


def fold_start(document: nodes.document) -> None:
    """Fold what a page says about itself into one line, which tells the time that it takes."""
    said = {
        begin.astext(): paragraph
        for paragraph in document.findall(nodes.paragraph)
        # MyST leaves an empty text before what is strong.
        if (begin := next((one for one in paragraph.children if one.astext()), None))
        and isinstance(begin, nodes.strong)
        and begin.astext() in START
    }
    if "Time" not in said:
        return
    time = re.split(r";|\.\s|\.$", said["Time"].astext().removeprefix("Time: "))[0]
    fold = Fold(label=f"Before you begin: {time}", about="", classes=["tl-start"])
    first = next(iter(said.values()))
    first.parent.insert(first.parent.index(first), fold)
    for paragraph in said.values():
        paragraph.parent.remove(paragraph)
        fold += paragraph


def shorten_marks(document: nodes.document) -> None:
    """Leave the words of a section's first proof, and of those after it only the sign.

    The first of the page says what the mark means.
    """
    known: set[int] = set()
    for proof in document.findall(Fold):
        if "tl-proof" in proof["classes"]:
            if not known:
                link = nodes.reference("", "how the book is tested", refuri="how_tested.html")
                said = nodes.paragraph("", MEANS, link, nodes.Text("."))
                proof.insert(0, said)
            section = proof.parent
            while section and not isinstance(section, nodes.section):
                section = section.parent
            if id(section) in known:
                proof["classes"] = [*proof["classes"], "tl-again"]
            known.add(id(section))


def _has(cell: nodes.Element, tag: str) -> bool:
    return tag in cell.get("cell_metadata", {}).get("tags", [])


class DressCells(SphinxPostTransform):
    """Arranges the cells of a page, before MyST-NB folds them in its own way."""

    default_priority = 190
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Build the figures first, since they name what is folded beside them."""
        cells = [n for n in self.document.findall(nodes.container) if _is_code(n)]
        for cell in cells:
            if any(True for _ in cell.findall(nodes.image)):
                make_figure(cell)
        for cell in cells:
            cell.attributes.pop("hide_mode", None)
            if isinstance(cell.parent, Fold):  # folded with the proof before it
                continue
            if _has(cell, "proof"):
                self._fold_proof(cell)
            elif _is_folded(cell):
                fold_source(cell)
        fold_start(self.document)
        shorten_marks(self.document)

    def _fold_proof(self, cell: nodes.container) -> None:
        told = self.env.nb_metadata.get(self.env.docname, {})  # type: ignore[attr-defined]
        try:
            fold_proof(cell, ran=(told.get("exec_data") or {}).get("succeeded", False))
        except ValueError as error:
            raise ExtensionError(f"{self.env.docname}, line {cell.line}: {error}") from None


def _is_code(node: nodes.Element) -> bool:
    return node.get("nb_element") == "cell_code"


def _is_folded(cell: nodes.container) -> bool:
    """Return whether a cell's source is of minor interest."""
    if _has(cell, "hide-cell") or _has(cell, "hide-input"):
        return True
    return len(cell) == 1 and only_imports(cell.children[0].astext())


def _visit_fold(translator: Any, node: Fold) -> None:
    names = " ".join(["tl-fold", *node["classes"]])
    about = node["about"] and f'<span class="tl-heard">: {escape(node["about"])}</span>'
    translator.body.append(f'<details class="{names}"><summary>{node["label"]}{about}</summary>\n')


def _visit(translator: Any, node: nodes.Element) -> None:
    translator.body.append(f'<{ELEMENTS[type(node)]} class="tl-{type(node).__name__.lower()}">\n')


def _depart(translator: Any, node: nodes.Element) -> None:
    translator.body.append(f"</{ELEMENTS.get(type(node), 'details')}>\n")


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_node(Fold, html=(_visit_fold, _depart))
    for node in ELEMENTS:
        app.add_node(node, html=(_visit, _depart))
    app.add_post_transform(DressCells)
