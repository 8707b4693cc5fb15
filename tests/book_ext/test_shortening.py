"""Scripts and sheets as pages load them lose what readers of the source need, and nothing else."""

from book._ext.shortening import shortened

SCRIPT = """/**
 * What it does.
 */
const told = `You said ${name}, but // no ${`a, b /* c */`}`; // why

  /** Why. @param {number} x */
  // and how
  const half = (x) => x / 2 /* once */;
"""


def test_only_comments_and_blanks_that_begin_a_line_leave_a_script():
    assert shortened("a.js", SCRIPT).splitlines() == [
        "const told = `You said ${name}, but // no ${`a, b /* c */`}`; // why",
        "",
        "const half = (x) => x / 2 /* once */;",
    ]


def test_a_style_sheet_keeps_its_rules():
    sheet = "/* Why. */\n.a > .b {\n  width: calc(100% - 2px);\n}\n"
    assert shortened("a.css", sheet) == ".a>.b{width:calc(100% - 2px)}"
