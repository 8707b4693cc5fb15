"""Every operation on one tensor or two does with every type what PyTorch does."""

import pytest

from tests.page_torch.programs import BINARY, KINDS, UNARY, WRITING, WRITING_ALONE, Ref, run

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch warns of old habits


TYPES = list(dict.fromkeys(KINDS))
NUMBERS = {"bool": [True, False, True], "uint8": [1, 0, 3]}


def given(kind, wants=False):
    numbers = NUMBERS.get(kind, [2, 0, -3] if "int" in kind else [2.5, 0.0, -0.3])
    return kind, (3,), numbers, False, False, wants


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("names", [UNARY.split(), WRITING_ALONE], ids=["new", "in place"])
def test_operations_on_one_tensor(kind, names):
    for name in names:
        for wants in (False, True):
            run([given(kind, wants)], [("method", name, (Ref(0),), {})])


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("names", [BINARY.split(), WRITING], ids=["new", "in place"])
def test_operations_on_two_tensors_and_on_a_number(kind, names):
    for name in names:
        for other in TYPES:
            specs = [given(kind), given(other)]
            run(specs, [("method", name, (Ref(0), Ref(1)), {})])
            run(specs, [("method", name, (Ref(1), Ref(0)), {})])
        for number in (True, 3, 0, -1, 2.5):
            run([given(kind)], [("method", name, (Ref(0), number), {})])


@pytest.mark.parametrize("kind", TYPES)
def test_a_number_is_written_by_an_index_or_refused(kind):
    for number in (1e9, -1e9, 1e39, 300, -1, 2.5, True):
        for key in (0, slice(None), ...):
            run([given(kind)], [("put", "put", (Ref(0), key, number), {})])
