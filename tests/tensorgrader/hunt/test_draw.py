"""Which faults somebody gets, and whose hunt it is."""

from itertools import pairwise

import pytest

from tensorgrader.hunt.bank import read_bank
from tensorgrader.hunt.draw import NEAR, TASKS, deal, hunt_of, is_theirs, needed, with_hunt
from tests.course import COURSE

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
CLASS = [f"student {number}" for number in range(40)]


@pytest.fixture(scope="module")
def dealt():
    return deal(COURSE, KEY, CLASS)


def test_neighbours_correct_other_functions(dealt):
    assert all(len(hunt.exercises) == TASKS for hunt in dealt)
    for one, other in pairwise(dealt):
        assert not one.exercises & other.exercises


def test_hunts_are_equally_difficult(dealt):
    hard = [hunt.difficulty for hunt in dealt]
    assert max(hard) - min(hard) <= 3 * NEAR
    every = [fault.difficulty for fault in read_bank(COURSE).faults]
    assert max(every) - min(every) > 5  # so that this says something
    for hunt in dealt:  # and each begins with something easy
        assert hunt.faults[0].difficulty < sum(every) / len(every) < hunt.faults[-1].difficulty


def test_a_fault_is_given_to_few(dealt):
    faults = [fault for hunt in dealt for fault in hunt.faults]
    assert max(map(faults.count, faults)) <= 3


def test_somebody_who_comes_later_changes_nobodys_hunt(dealt):
    assert deal(COURSE, KEY, [*CLASS[:3], "late"])[:3] == dealt[:3]


def test_a_hunt_is_known_by_its_owner_and_the_key(dealt):
    text = dealt[0].text
    assert is_theirs(KEY, {"nobody", CLASS[0]}, text)
    assert not is_theirs(KEY, set(CLASS[1:]), text)
    assert not is_theirs(OTHER_KEY, set(CLASS), text)
    assert KEY.hex() not in text
    assert len({hunt.text for hunt in dealt}) == len(CLASS)


def test_the_functions_of_a_hunt_do_not_get_in_each_others_way(dealt):
    for hunt in dealt:
        chapter = with_hunt(COURSE, hunt.text).chapters["hunt"]
        functions = {exercise.function for exercise in chapter.exercises}
        assert len(functions) == TASKS
        for fault in hunt.faults:
            assert not functions & needed(COURSE, fault.exercise).keys()
            for name, code in needed(COURSE, fault.exercise).items():
                assert f"def {name}(" in code
                assert code in chapter.given_source


def test_a_hunt_of_chapters_has_only_their_functions():
    for hunt in deal(COURSE, KEY, CLASS[:4], ["norm", "masking"]):
        assert {COURSE.exercises[name].chapter for name in hunt.exercises} <= {"norm", "masking"}
        assert hunt_of(COURSE, hunt.text) == hunt


def test_a_text_that_was_altered_stands_for_no_hunt(dealt):
    scope, mark, seed = dealt[0].text.split(":")
    for text in (
        "", "all", f"{scope}:{mark}:{seed}0", f"{scope}:{mark}:{seed[1:]}", f"{mark}:{seed}",
        f"algebra:{mark}:{seed}", f"{scope}:{'0' * 6}:{seed}", f"{scope}:{mark}:{seed}\n",
        "all+" * 10_000 + f"all:{mark}:{seed}",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"hunt|chapter"):
            with_hunt(COURSE, text)
