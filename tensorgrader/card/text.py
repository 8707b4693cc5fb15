"""A card as text, for terminals and wherever HTML isn't shown."""

import textwrap

from tensorgrader.card.card import Card, Line, Standing, Table, Trouble, cell, score

WIDTH = 88


def card_text(card: Card) -> str:
    """Return a card as text: the score, each requirement, and below it what is wrong."""
    whole = Standing.HOLDS if card.holds else Standing.FAILS
    lines = [f"{whole.value} {card.function}: {score(card)}{_progress(card)}"]
    if card.trouble:
        lines.append(_indent(trouble_text(card.trouble)))
    for line in card.lines:
        lines += _line(line)
    if card.beside:
        lines.append(textwrap.indent(_wrap(card.beside), "  "))
    if card.said:
        lines.append("  Your function printed:")
        lines += [f"  | {printed}" for printed in card.said]
    if card.again:
        lines.append(f"  The same input again: {card.again}")
    if card.hint:  # the first step: nothing can be folded away
        lines.append(f"  {card.hint.where}")
    return "\n".join(lines)


def trouble_text(trouble: Trouble) -> str:
    """Write what is wrong: the mistake with its why, what happened, and the numbers."""
    story = []
    for mistake in trouble.mistakes:
        story += [f"Known mistake: {mistake.name}.", *([mistake.why] if mistake.why else [])]
        story.append(f"Read again: {mistake.read.page}, section “{mistake.read.heading}”.")
    story += trouble.sentences
    if trouble.code:
        story.append(f"    {trouble.code}")
    if trouble.had:
        story.append(f"There you had: {', '.join(trouble.had)}")
    if trouble.call or trouble.given:
        story.append(f"A small input that shows it: {trouble.call}".rstrip())
    story += [table for tables in (trouble.given, trouble.results) for table in _beside(tables)]
    return "\n".join(map(_wrap, story))


def _progress(card: Card) -> str:
    if not card.progress:
        return ""
    chapter, held, points = card.progress.chapter, card.progress.held, card.progress.points
    return f" ({chapter}: {held} of {points}{', complete!' if held == points else ''})"


def _line(line: Line) -> list[str]:
    waits = " (not judged yet)" if line.standing is Standing.WAITS else ""
    first = f"{line.standing.value} {line.says}{waits}"
    told = [textwrap.fill(first, WIDTH, initial_indent="  ", subsequent_indent="    ")]
    return told + ([_indent(trouble_text(line.trouble))] if line.trouble else [])


def _beside(tables: tuple[Table, ...]) -> list[str]:
    """Return tables side by side, or below each other if the page is too narrow."""
    blocks = [[f"{table.name} {table.about}", *_columns(table)] for table in tables]
    widths = [max(map(len, block)) for block in blocks]
    if sum(widths) + 4 * len(blocks) > WIDTH - 4:
        return [line.rstrip() for block in blocks for line in block]
    height = max(map(len, blocks), default=0)
    filled = [block + [""] * (height - len(block)) for block in blocks]
    return [
        "    ".join(f"{text:<{w}}" for text, w in zip(line, widths, strict=True)).rstrip()
        for line in zip(*filled, strict=True)
    ]


def _columns(table: Table) -> list[str]:
    """Return a table with columns of one width, the framed cell in brackets."""
    cells = [[cell(value, table.digits) for value in row] for row in table.rows]
    width = max((len(text) for row in cells for text in row), default=0)
    return [
        "".join(
            f"[{text:>{width}}]" if (i, j) == table.framed else f" {text:>{width}} "
            for j, text in enumerate(row)
        )
        for i, row in enumerate(cells)
    ]


def _wrap(text: str) -> str:
    return "\n".join(
        textwrap.fill(line, WIDTH - 4) if len(line) > WIDTH - 4 else line
        for line in text.split("\n")
    )


def _indent(text: str) -> str:
    return textwrap.indent(text, "    ")
