"""Formulas become MathML that browsers draw."""

import re
import xml.etree.ElementTree as ET

import pytest

from book._ext.mathml import to_mathml


def text(markup):
    return "".join(ET.fromstring(markup.replace("&nbsp;", "\xa0")).itertext())


def test_a_formula_is_one_math_element_without_latex_in_it():
    latex = r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"
    markup = to_mathml(latex, display=True)
    root = ET.fromstring(markup)
    assert root.tag.endswith("math")
    assert root.get("display") == "block"
    assert "\\" not in markup
    assert {"mfrac", "msqrt", "msup", "msub"} <= set(re.findall(r"<(\w+)", markup))


@pytest.mark.parametrize(
    ("latex", "letters"),
    [
        (r"\mathbb{R}", "ℝ"), (r"\mathbb{E}", "𝔼"), (r"\mathbf{Xy}", "𝐗𝐲"),
        (r"\mathcal{N}", "𝒩"), (r"\mathcal{L}", "ℒ"), (r"\mathcal{V}", "𝒱"),
        (r"\boldsymbol{x}", "𝒙"), (r"\mathrm{d}", "d"),
    ],
)  # fmt: skip
def test_letters_of_another_style_are_characters(latex, letters):
    markup = to_mathml(latex, display=False)
    assert letters in text(markup)
    assert not re.search(r'mathvariant="(?!normal)', markup)


@pytest.mark.parametrize(
    ("latex", "spaced"),
    [
        (r"\sin a\cos b", "sin a cos b"), (r"-\ln 10", "−ln 10"), (r"\ln(x)", "ln(x)"),
        (r"2\log_2 n", "2 log2 n"), ("f(-1, -x)", "f(⁻1,⁻x)"), (r"a\quad -\infty", "a ⁻∞"),
        ("(a) - b", "(a)−b"), ("a = -b", "a=⁻b"), ("|x| - 1", "∣x∣−1"),
    ],
)  # fmt: skip
def test_names_stand_apart_and_signs_close_to_their_number(latex, spaced):
    markup = re.sub("<mspace[^>]*/>", " ", to_mathml(latex, display=False))
    assert text(markup.replace('form="prefix">−', ">⁻")).replace("\u2061", "") == spaced


@pytest.mark.parametrize("latex", [r"\frac{1}", r"\nonsense", "x_1_2", "{"])
def test_what_cannot_be_read_is_an_error_that_quotes_it(latex):
    with pytest.raises(ValueError, match="formula") as error:
        to_mathml(latex, display=False)
    assert repr(latex) in str(error.value)


@pytest.mark.parametrize("role", ["query", "key", "value"])
def test_a_role_is_named_and_its_colour_left_to_the_page(role):
    markup = to_mathml(rf"x \{role}{{q_i}}", display=False)
    assert f'<mstyle class="tl-{role}"><msub>' in markup
    assert "mathcolor" not in markup
