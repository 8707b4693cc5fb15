"""The names of everybody in a class: on pages, in tables, and in the teacher's own table."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from unicodedata import normalize

from tensorgrader.classes.platform_exports import number
from tensorgrader.classes.roster import KNOWN_BY, Person, Roster
from tensorgrader.classes.tables import Row, inert


@dataclass(frozen=True)
class Someone:
    """Somebody who submitted something, with the key in the records, or is only on the roster.

    Pages and tables show the `name`, or the `hidden` one. `exact` is how tables write these,
    `shown` the same as `_plain` writes it, and `others` what the teacher may also call them, which
    may be somebody else's name, too. Of a group, each has an `own` key. `may_be` names those of the
    roster of whom it cannot be told which this is.
    """

    key: str
    person: Person | None
    name: str
    hidden: str
    exact: frozenset[str]
    shown: frozenset[str]
    others: frozenset[str]
    own: str
    may_be: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Handed:
    """One author of a submission, what is known of them, and whom on the roster it may be."""

    key: str
    own: str
    told: Row
    fits: tuple[Person, ...]

    @property
    def person(self) -> Person | None:
        """Return who it is, if that is known."""
        return self.fits[0] if len(self.fits) == 1 else None


def everybody(handed: Mapping[str, Sequence[Row]], roster: Roster | None) -> list[Someone]:
    """Return who submitted something, then who is on the roster and did not.

    `handed` maps keys to what the platform says of their authors. People on the roster keep the
    same name, whatever others submit. The submission's name is added only for those who submitted
    twice, or who are unknown and would share a name with somebody else.
    """
    there = [one for key, people in handed.items() for one in _handed(key, people, roster)]
    doubted = _doubted(there)
    known = _known(roster.people if roster else ())
    often = Counter(one.person for one in there if one not in doubted)
    told = Counter(_plain(one.told.get("name", "")) for one in there)
    taken = {*map(_plain, known.values()), *(name for name in told if told[name] > 1)}
    named = []
    for one in there:
        person = None if one in doubted else one.person
        name = known[person] if person else one.told.get("name") or one.key
        several = often[person] > 1 if person else _plain(name) in taken
        someone = _someone(one, person, name, several)
        may_be = () if person else tuple(known[p] for p in one.fits)
        named.append(replace(someone, may_be=may_be))
    nobody = (_Handed("", "", {}, (person,)) for person in known if not often[person])
    return [*named, *(_someone(one, one.person, known[one.fits[0]], False) for one in nobody)]


def _handed(key: str, people: Sequence[Row], roster: Roster | None) -> list[_Handed]:
    """Return each author of a submission."""
    told = people or [{}]
    owns = [key, *(f"{key} #{n}" for n in range(2, len(told) + 1))]
    fits = (roster.fitting(key, row) if roster else [] for row in told)
    return [
        _Handed(key, own, row, tuple(fit)) for own, row, fit in zip(owns, told, fits, strict=True)
    ]


def _doubted(there: Iterable[_Handed]) -> list[_Handed]:
    """Return who, by the platform's data, are several people under one name of the roster.

    People whom something besides the name identifies are not in doubt.
    """
    groups: dict[Person, list[_Handed]] = defaultdict(list)
    for one in there:
        if one.person and (one.told or number(one.key)):
            groups[one.person].append(one)
    return [
        one
        for person, alike in groups.items()
        if len({repr(one.told) if one.told else number(one.key) for one in alike}) > 1
        for one in alike
        if not person.is_surely(one.key, one.told)
    ]


def meant(told: str, everyone: Iterable[Someone]) -> list[Someone]:
    """Return whom the teacher's table may mean: by the name shown, or else by another one."""
    everyone, plain = list(everyone), _plain(told)
    ways = (
        [one for one in everyone if told in one.exact],
        [one for one in everyone if plain in one.shown],
        [one for one in everyone if plain in one.others],
    )
    return next(filter(None, ways), [])


def pseudonym(key: str) -> str:
    """Return a stable name that reveals nobody's; knowing the key, one can compute it."""
    return f"Student {sha256(key.encode()).hexdigest()[:10]}"


def _someone(one: _Handed, person: Person | None, name: str, several: bool) -> Someone:
    """Return a person's name and all others they may be called by, from before submitting too."""
    before = pseudonym(f"{name}\0") if person else ""
    theirs = (person.name if person else "", before, *one.told.values())
    shown = f"{name} ({one.own})" if several else name
    hidden = pseudonym(one.own) if one.key else before
    exact = frozenset(map(inert, (shown, hidden)))
    others = frozenset(map(_plain, filter(None, (one.key, name, *theirs))))
    plain = frozenset(map(_plain, exact))
    return Someone(one.key, person, shown, hidden, exact, plain, others, one.own)


def _known(people: Iterable[Person]) -> dict[Person, str]:
    """Name the people of a roster; namesakes by a unique cell of their row, or a number."""
    groups: dict[str, list[Person]] = defaultdict(list)
    for person in people:
        groups[_plain(person.name)].append(person)
    names = {}
    for namesakes in groups.values():
        for place, person in enumerate(namesakes, 1):
            others = {_plain(cell) for p in namesakes if p is not person for cell in _cells(p)}
            own = (cell for cell in _cells(person) if cell and _plain(cell) not in others)
            mark = f" ({next(own, f'no. {place}')})" if others else ""
            names[person] = f"{person.name}{mark}"
    return names


def _cells(person: Person) -> list[str]:
    """Return what somebody is known by, the platform's number first."""
    cells = (text for column, text in person.row.items() if column.lower() in KNOWN_BY)
    return [person.id, *cells]


def _plain(text: str) -> str:
    """Normalise a name, so that it matches after a round trip through a spreadsheet."""
    return " ".join(normalize("NFC", inert(text)).split())
