"""Whether a certificate is right: its answers judged again, and its page written again."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from tensorgrader.certificate.judged import Judgement, judged
from tensorgrader.certificate.page import CertificateError, Data, read, sums, write
from tensorgrader.classes.grade_class import grader_hash
from tensorgrader.course import Course
from tensorgrader.sandbox.values import clean

CHANGED = (
    "Its page is not the one that its data give here: it was changed, or written by another "
    "version. Believe these lines, and not what the page shows."
)
PROVES = "This proves what the answers are worth, not who wrote them."


@dataclass(frozen=True)
class Verified:
    """What became of a certificate: lines to print, and whether all is as it says."""

    lines: tuple[str, ...]
    agrees: bool


def verify(course: Course, text: str, fresh: int, confined: bool) -> Verified:
    """Judge the answers of a certificate again, with its own inputs and with those of a fresh seed.

    The writer of the answers knew their own inputs, and nobody the fresh ones. Raises
    CertificateError for what is none, or is one of another course.
    """
    text = text.replace("\r\n", "\n")
    data = read(text)
    if data["course"] != course.name or not {*data["chapters"]} <= {*course.chapters}:
        raise CertificateError(
            f"is of {clean(data['title'])}, or has chapters that are not in {course.title} "
            f"{course.version}."
        )
    seeds = [fresh] if data["seed"] is None else [data["seed"], fresh]
    judgements = [judged(course, data["chapters"], seed, confined) for seed in seeds]
    lines = [_first(data, course)]
    agrees = write(data) == text
    if not agrees:
        lines.append(CHANGED)
    for name, told in data["chapters"].items():
        different = list(_different(name, told["works"], judgements, seeds))
        agrees = agrees and not different
        earned, points = sums(told["works"])
        if told["cells"] or different:
            mark = "✗" if different else "✓"
            lines += [f"{mark} {name}: it says {earned} of {points} points", *different]
    agrees = agrees and not any(one.tried for one in judgements)
    said = (words for one in judgements for words in (*one.problems, *one.tried))
    lines += dict.fromkeys(f"! {words}" for words in said)
    lines.append(f"Inputs were drawn from seed {' and, unknown before, '.join(map(str, seeds))}.")
    lines.append(f"{'All is as it says' if agrees else 'NOT all is as it says'}. {PROVES}")
    return Verified(tuple(lines), agrees)


def _first(data: Data, course: Course) -> str:
    """Return whose certificate it is, and the versions that wrote it and that judge it now."""
    who = ", ".join(clean(data[name]) for name in ("name", "day") if data[name])
    wrote = ", ".join(clean(data[name]) for name in ("version", "torch", "grader") if data[name])
    here = f"PyTorch {torch.__version__}, grader {grader_hash(course)[:12]}"
    version = f"{course.version}, " * bool(course.version)
    return f"{who}. Written by {wrote or 'a page'}; judged by {version}{here}."


def _different(
    name: str, claims: list[Data], judgements: list[Judgement], seeds: list[int]
) -> Iterator[str]:
    """Yield what of a chapter is not as its certificate says."""
    every = [judgement.works[name] for judgement in judgements]
    if any([work["id"] for work in claims] != [work["id"] for work in found] for found in every):
        yield "    its exercises are not those of this version"
        return
    for claim, *real in zip(claims, *every, strict=True):
        if any(_claims_more(claim, work) for work in real):
            earned, points = sums([claim])
            told = (
                f"{sums([work])[0]} with seed {seed}"
                for work, seed in zip(real, seeds, strict=True)
            )
            said = f"{claim['id']}: it says {earned} of {points} points"
            yield f"    {said}; there are {', '.join(told)}"


def _claims_more(claim: Data, found: Data) -> bool:
    """Return whether a claim has other requirements than were found, or more that hold.

    It may have fewer: a page cannot judge all that is right.
    """
    said, real = claim["requirements"], found["requirements"]
    if [one[:2] for one in said] != [one[:2] for one in real] or claim["id"] != found["id"]:
        return True
    return any(says and not holds for (*_, says), (*_, holds) in zip(said, real, strict=True))
