"""What a notebook shows of the package."""

import re
import subprocess
import sys

import pytest

from transformer_lab import AttentionHead, scaled_dot_product_attention, show


def test_source_is_code_that_compiles_to_the_same_thing():
    text = show.source(scaled_dot_product_attention).data
    assert text.startswith("```python\ndef scaled_dot_product_attention(")
    assert text.endswith("return weights @ v, weights\n```")
    assert '"""' not in text
    compile(text.removeprefix("```python\n").removesuffix("```"), "shown", "exec")


def test_source_drops_the_docstrings_of_methods_too():
    text = show.source(AttentionHead).data
    assert '"""' not in text
    assert "class AttentionHead(nn.Module):\n    def __init__(" in text
    assert "self.value(source), mask" in text


def test_source_keeps_strings_and_blank_lines_that_are_no_docstrings():
    def outer():
        """Go away."""
        kept = """stay"""

        return kept

    assert show.source(outer).data == (
        '```python\ndef outer():\n    kept = """stay"""\n\n    return kept\n```'
    )


class Bare:
    """Nothing

    but this.
    """

    def method(self):
        """Go away."""


class Barest(Bare):
    """Nothing but this."""


def test_source_of_what_has_only_a_docstring_still_compiles():
    text = "class Bare:\n    def method(self):\n        ..."
    assert show.source(Bare).data == f"```python\n{text}\n```"
    assert show.source(Barest).data == "```python\nclass Barest(Bare):\n    ...\n```"


def test_source_of_something_without_source(as_readers_run_it):
    with pytest.raises(TypeError, match="written in Python, but was given <built-in function len>"):
        show.source(len)
    with pytest.raises(TypeError, match="but was given 3"):
        show.source(3)


def cells(table):
    rows = re.findall(r"<tr>(.*?)</tr>", table.data)
    return [re.findall(r"<t[hd] [^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_table_writes_each_kind_of_value():
    table = show.table(
        ["a < b", "n", "x", "ok"], [["one", 1234, 2.34567, True], [2, 0, 0.5, False]]
    )
    assert cells(table) == [
        ["a &lt; b", "n", "x", "ok"],
        ["one", "1,234", "2.35", "yes"],
        ["2", "0", "0.5", "no ✗"],
    ]


def test_table_names_its_rows_and_columns_for_screen_readers():
    table = show.table(["a", "b"], [["one", 1], ["two", 2]])
    assert len(re.findall("<th scope=col ", table.data)) == 2
    assert len(re.findall("<th scope=row ", table.data)) == 2


def test_a_table_s_names_are_written_as_in_formulas_and_its_values_as_they_are():
    table = show.table(["d_k", "code"], [["√d_k", "d_k"]])
    assert re.findall(r"<(th|td) [^>]*>(.*?)</\1>", table.data) == [
        ("th", "<i>d</i><sub>k</sub>"),
        ("th", "code"),
        ("th", "√<i>d</i><sub>k</sub>"),
        ("td", "d_k"),
    ]


def test_words_stand_at_the_left_and_numbers_at_the_right_below_their_headings():
    rows = [["1. one", "O gato", "97%", 1], ["2. two", "–", "5.1e-07", 20]]
    table = show.table(["text", "words", "share", "count"], rows)
    aligned = re.findall(r"text-align: (\w+)", table.data)
    assert aligned == ["left", "left", "right", "right"] * 3


def test_table_refuses_a_row_that_is_too_short():
    with pytest.raises(ValueError, match=r"the header has 2 cells, but \[1\] has 1"):
        show.table(["a", "b"], [[1, 2], [1]])


def test_table_refuses_a_column_without_a_name():
    with pytest.raises(ValueError, match=r"needs a name, but the header is \['a', ''\]"):
        show.table(["a", ""], [[1, 2]])


@pytest.mark.parametrize("module", ["transformer_lab", "transformer_lab.show"])
def test_importing_is_light(module):
    heavy = "{'matplotlib', 'IPython', 'anywidget'}"
    code = f"import sys, {module}; print(*{heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
