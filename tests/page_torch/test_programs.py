"""The page's small PyTorch does what PyTorch does, in programs that nobody wrote."""

import pytest
from hypothesis import example, given, settings

from tests.page_torch.programs import Ref, programs, programs_of_complex, run

NOTHING = [("float32", (0, 0), [], False, True, False)]
LEAF = [("float32", (1,), [1], False, False, True)]
SKIPPED = [("int64", (2, 1, 1), [0, 0], False, True, False)]


pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch warns of old habits


@settings(max_examples=300, derandomize=True, database=None)
@given(programs)
@example((NOTHING, [("method", "__getitem__", (Ref(0), [0]), {})]))
@example((LEAF, [("operator", "matmul", (Ref(0), 0), {})]))
@example((SKIPPED, [("put", "put", (Ref(0), None, Ref(0)), {})]))
@example((SKIPPED, [("put", "put", (Ref(0), [0, 0], Ref(0)), {})]))
def test_random_programs_do_what_they_do_with_pytorch(program):
    run(*program)


@settings(max_examples=150, derandomize=True, database=None)
@given(programs_of_complex)
def test_random_programs_of_complex_numbers_do_what_they_do_with_pytorch(program):
    run(*program)


@pytest.mark.nightly
@settings(max_examples=20_000, database=None)
@given(programs)
def test_twenty_thousand_random_programs_do_what_they_do_with_pytorch(program):
    run(*program)


@pytest.mark.nightly
@settings(max_examples=10_000, database=None)
@given(programs_of_complex)
def test_ten_thousand_programs_of_complex_numbers_do_what_they_do_with_pytorch(program):
    run(*program)
