"""The table of the grader's score, as the appendix shows it."""

from tests.grading.table import put_into, scores, table, together
from transformer_lab.publish.sources import root


def test_the_appendix_shows_the_table_as_it_is_today():
    page = (root() / "book/for_teachers.md").read_text("utf8")
    assert put_into(page, table()) == page, "python -m tests.grading.table book/for_teachers.md"


def test_the_grader_lets_no_wrong_answer_pass_refuses_no_right_one_and_misnames_none():
    for name, functions in scores().items():
        total = together(functions.values())
        assert total.caught[0] == total.caught[1] > 0, name
        assert total.named[0] >= 0.95 * total.named[1] > 0, name
        assert total.misnamed[0] == total.refused[0] == total.given_one_name[0] == 0, name


def test_a_table_is_put_between_its_marks_and_nowhere_else():
    page = "a\n<!-- table of the bank -->\nold\n<!-- end of the table -->\nb"
    assert put_into(page, "new") == page.replace("old", "new")
