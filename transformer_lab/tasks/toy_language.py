"""Sentences to learn a language from: simple English, and the same in Portuguese.

The two languages differ where translating is of interest. The adjective stands before its noun or
behind it, and in Portuguese article and adjective agree with the noun: "a red cow" is "uma vaca
vermelha", "a red cat" is "um gato vermelho". All sentences are equally likely, so the loss of a
perfect model is known: `log(len(sentences()))` nats for each sentence.
"""

from functools import cache
from itertools import product

Phrase = tuple[str, str]
"""A phrase in English and in Portuguese."""

ARTICLES = {"the": ("o", "a"), "a": ("um", "uma")}
ADJECTIVES = {
    "red": ("vermelho", "vermelha"),
    "white": ("branco", "branca"),
    "small": ("pequeno", "pequena"),
    "pretty": ("bonito", "bonita"),
}
MASCULINE, FEMININE = 0, 1
NOUNS = {
    "cat": ("gato", MASCULINE),
    "dog": ("cachorro", MASCULINE),
    "bird": ("pássaro", MASCULINE),
    "hen": ("galinha", FEMININE),
    "cow": ("vaca", FEMININE),
    "bee": ("abelha", FEMININE),
}
MASS_NOUNS = {
    "fish": ("peixe", MASCULINE),
    "bread": ("pão", MASCULINE),
    "meat": ("carne", FEMININE),
}
VERBS = {"eats": "come", "wants": "quer", "sees": "vê", "buys": "compra", "finds": "acha"}


def noun_phrases(nouns: dict[str, tuple[str, int]], articles: dict[str, Phrase]) -> list[Phrase]:
    """Return each noun with each article, without an adjective and with each."""
    phrases = []
    for (noun, (name, gender)), (article, forms) in product(nouns.items(), articles.items()):
        phrases.append((f"{article} {noun}", f"{forms[gender]} {name}"))
        for adjective, kinds in ADJECTIVES.items():
            english = f"{article} {adjective} {noun}"
            phrases.append((english, f"{forms[gender]} {name} {kinds[gender]}"))
    return [(english.strip(), portuguese.strip()) for english, portuguese in phrases]


SUBJECTS = noun_phrases(NOUNS, ARTICLES)
OBJECTS = [*SUBJECTS, *noun_phrases(MASS_NOUNS, {"": ("", "")})]


@cache
def sentences() -> tuple[Phrase, ...]:
    """Return every sentence of the language, such as ("the cat eats fish", "o gato come peixe")."""
    return tuple(
        (f"{subject[0]} {verb} {thing[0]}", f"{subject[1]} {name} {thing[1]}")
        for subject, (verb, name), thing in product(SUBJECTS, VERBS.items(), OBJECTS)
    )


def words() -> list[str]:
    """Return all words of both languages. The word "a" is in both, and means different things."""
    return sorted({word for pair in [*OBJECTS, *VERBS.items()] for word in " ".join(pair).split()})
