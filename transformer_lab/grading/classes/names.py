"""What everybody of a class is called: in pages and tables, and in the teacher's own table."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from unicodedata import normalize

from transformer_lab.grading.classes.roster import KNOWN_BY, Person, Roster
from transformer_lab.grading.classes.tables import inert


@dataclass(frozen=True)
class Someone:
    """Somebody who handed something in, with the key that records have, or is on the roster only.

    Pages and tables show the `name`, or the `hidden` one. `exact` is how tables write these,
    `shown` the same as `_plain` writes it, and `others` what the teacher may also call them, which
    may be somebody else's name, too.
    """

    key: str
    person: Person | None
    name: str
    hidden: str
    exact: frozenset[str]
    shown: frozenset[str]
    others: frozenset[str]


def everybody(keys: Iterable[str], roster: Roster | None) -> list[Someone]:
    """List who handed something in, by their keys, and then who is on the roster and did not.

    Whom the roster knows has the same name before and after, whoever else hands something in. What
    they handed in as stands beside it only for who did so twice, or whom it does not know and who
    would have the name of another.
    """
    people = {key: roster.find(key) if roster else None for key in keys}
    known = _known(roster.people if roster else ())
    often, taken = Counter(people.values()), set(map(_plain, known.values()))
    return [
        *(
            _someone(key, person, known[person], often[person] > 1)
            if person
            else _someone(key, None, key, _plain(key) in taken)
            for key, person in people.items()
        ),
        *(_someone("", person, name, False) for person, name in known.items() if not often[person]),
    ]


def meant(told: str, everyone: Iterable[Someone]) -> list[Someone]:
    """Find who may be meant in the teacher's table: who is shown so, or else who is called so."""
    everyone, plain = list(everyone), _plain(told)
    ways = (
        [one for one in everyone if told in one.exact],
        [one for one in everyone if plain in one.shown],
        [one for one in everyone if plain in one.others],
    )
    return next(filter(None, ways), [])


def pseudonym(key: str) -> str:
    """Give a name that stays the same and shows nobody's; who guesses the key can compute it."""
    return f"Student {sha256(key.encode()).hexdigest()[:10]}"


def _someone(key: str, person: Person | None, name: str, several: bool) -> Someone:
    """Name somebody, and list what else they may be called, also from before they handed in."""
    before = pseudonym(f"{name}\0") if person else ""
    others = filter(None, (key, name, person.name if person else "", before))
    shown = f"{name} ({key})" if several else name
    hidden = pseudonym(key) if key else before
    exact = frozenset(map(inert, (shown, hidden)))
    plain = (frozenset(map(_plain, called)) for called in (exact, others))
    return Someone(key, person, shown, hidden, exact, *plain)


def _known(people: Iterable[Person]) -> dict[Person, str]:
    """Name the people of a roster; namesakes by what else they alone are known by, or a number."""
    groups: dict[str, list[Person]] = defaultdict(list)
    for person in people:
        groups[_plain(person.name)].append(person)
    names = {}
    for namesakes in groups.values():
        for number, person in enumerate(namesakes, 1):
            others = {_plain(cell) for p in namesakes if p is not person for cell in _cells(p)}
            own = (cell for cell in _cells(person) if cell and _plain(cell) not in others)
            mark = f" ({next(own, f'no. {number}')})" if others else ""
            names[person] = f"{person.name}{mark}"
    return names


def _cells(person: Person) -> list[str]:
    """Give what somebody is known by, the platform's number first."""
    cells = (text for column, text in person.row.items() if column.lower() in KNOWN_BY)
    return [person.id, *cells]


def _plain(text: str) -> str:
    """Write a name so that it can be compared, whether a table has been through a spreadsheet."""
    return " ".join(normalize("NFC", inert(text)).split())
