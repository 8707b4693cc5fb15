"""transformer_lab.tasks.toy_language: right sentences, all different, in both languages."""

from transformer_lab.tasks.toy_language import MASS_NOUNS, NOUNS, VERBS, sentences

ENGLISH_OF = {name: noun for noun, (name, _) in (NOUNS | MASS_NOUNS).items()}
FEMININE = {"vaca", "abelha", "galinha", "carne"}


def phrases(sentence, verbs):
    text = sentence.split()
    (place,) = [i for i, word in enumerate(text) if word in verbs]
    return text[:place], text[place + 1 :]


def test_the_books_sentence_is_among_them():
    assert ("the cat eats fish", "o gato come peixe") in sentences()
    pair = ("the small cat sees a red cow", "o gato pequeno vê uma vaca vermelha")
    assert pair in sentences()


def test_each_sentence_comes_once_and_translates_both_ways():
    every = sentences()
    assert len({english for english, _ in every}) == len(every) == 60 * 5 * 75
    assert len({portuguese for _, portuguese in every}) == len(every)


def test_article_and_adjective_agree_and_the_adjective_comes_behind():
    for _, sentence in sentences()[::7]:
        for phrase in phrases(sentence, VERBS.values()):
            (noun,) = [word for word in phrase if word in ENGLISH_OF]
            before, after = phrase[: phrase.index(noun)], phrase[phrase.index(noun) + 1 :]
            assert set(before) <= ({"a", "uma"} if noun in FEMININE else {"o", "um"})
            assert all(word.endswith("a" if noun in FEMININE else "o") for word in after)
            assert bool(before) == (ENGLISH_OF[noun] in NOUNS)
