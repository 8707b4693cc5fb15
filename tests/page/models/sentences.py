"""Sentences as readers may type them: prose, and what no author of a tokenizer had in mind."""

import random
import re

from tests.conftest import ROOT

SCRIPTS = [
    (0x20, 0x7E),  # ASCII
    (0xA0, 0x24F),  # Latin with accents
    (0x300, 0x36F),  # accents by themselves
    (0x370, 0x3FF),  # Greek
    (0x400, 0x4FF),  # Cyrillic
    (0x5D0, 0x5EA),  # Hebrew
    (0x620, 0x64A),  # Arabic
    (0x905, 0x94D),  # Devanagari
    (0xE01, 0xE4E),  # Thai
    (0x1100, 0x11FF),  # parts of Korean syllables
    (0x2000, 0x206F),  # spaces, dashes, marks of direction
    (0x2100, 0x214F),  # letter-like signs
    (0x3041, 0x30FF),  # Japanese syllables
    (0x4E00, 0x4FFF),  # Chinese
    (0xAC00, 0xACFF),  # Korean
    (0xFB00, 0xFB06),  # ligatures
    (0xFF01, 0xFF5E),  # wide ASCII
    (0x1D400, 0x1D4FF),  # letters of mathematics
    (0x1F300, 0x1F64F),  # emoji
]
ODD = [
    "",
    " ",
    "\n\t \r",
    "two\twords\nin three\r\nlines",
    "x" * 101,
    "x" * 100,
    "the " * 2500,
    "🇵🇹🏳️‍🌈👩🏽‍🚀👨‍👩‍👧‍👦",
    "[CLS] a [MASK] b[SEP]",
    "</s> a</s>b <unk> ▁x ▁ y",
    "ΟΔΟΣ Σ İstanbul ǆ ß ﬁne Å Å",
    "東京タワーは高い。",
    "a\u200bb\u00adc\ufeffd\u0000e\ufffdf",
    "don't can't I'm 3.14 $5.00 1,000,000 C++ #1 @you https://example.org/a?b=c",
    "ก็ กำลัง नमस्ते مرحبا שלום Привет ελληνικά 한국어 tiếng Việt",
    "e\u0301 o\u0308\u0323 n\u0303" + "a" + "\u0301" * 9,
]


def pages() -> str:
    return "\n".join(path.read_text("utf8") for path in sorted((ROOT / "book").glob("*.md")))


def prose() -> list[str]:
    text = re.sub(r"^(```|---\n).*?^\1", "", pages(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"(?<=[.:] )[A-Z][^.!?$`*\[\]|\n]+[.!?](?=\s)", text)
    return list(dict.fromkeys(line for line in found if 4 <= len(line.split()) <= 18))


def made(number: int) -> str:
    dice = random.Random(number)
    scripts = dice.sample(SCRIPTS, dice.randint(1, 4))

    def word() -> str:
        first, last = dice.choice(scripts)
        return "".join(chr(dice.randint(first, last)) for _ in range(dice.randint(1, 9)))

    return dice.choice([" ", " ", "  ", "\u3000", ""]).join(
        word() for _ in range(dice.randint(1, 12))
    )


def sentences(count: int) -> list[str]:
    """Return so many sentences: the odd ones, lines of pages, and what is made."""
    lines = list(dict.fromkeys(filter(None, map(str.strip, pages().splitlines()))))
    written = random.Random(0).sample(lines, (count - len(ODD)) // 2)
    return [*ODD, *written, *map(made, range(count - len(ODD) - len(written)))]
