"""How long a page waits for Python, and what it says then, asked of Node with its own clock."""

from tests.page.node import asked

#: Timers that end when time passes, and a Python that tells what is put into its mouth.
WAITING = """
const timers = new Map();
let now = 0, ends = 0, slow = 0, number = 0;
globalThis.setTimeout = (run, after) => {
  timers.set(++number, [run, now + after / 1000]);
  return number;
};
globalThis.clearTimeout = (timer) => timers.delete(timer);
const pass = (seconds) => {
  now += seconds;
  for (const [timer, [run, at]] of [...timers]) if (at <= now && timers.delete(timer)) run();
};
const port = { postMessage() {}, onmessage() {} };
class Waiting extends Python {
  wake() { return Promise.resolve(port); }
  end() { ends += 1; }
}
const tell = (data) => port.onmessage?.({ data });
const YOURS = { isYours: true }, OURS = { isYours: false };
async function after(steps) {
  const begun = new Waiting({}, "", () => {}).ask({ cell: "a", at: {} }, () => { slow += 1; });
  await Promise.resolve();
  tell({ id: 1, late: ["a cell's card", "a call's card"] });
  steps();
  const left = timers.size;
  pass(1e9); // so that it has an end
  return { ...(await begun), ends, slow, left };
}
"""


def after(steps):
    return asked(("python.js",), f"after(() => {{ {steps} }})", WAITING)


def test_the_readers_own_code_that_gives_no_answer_is_ended_and_blamed():
    given = after("tell(YOURS); pass(10);")
    assert given["late"] == "a cell's card"
    assert "10 seconds" in given["ended"]
    assert (given["ends"], given["left"], given["slow"]) == (1, 0, 1)


def test_a_call_that_takes_too_long_is_told_from_its_cell():
    assert after("tell(YOURS); tell(OURS); tell(YOURS); pass(10);")["late"] == "a call's card"


def test_our_own_judging_is_never_blamed_on_the_readers_code():
    given = after("tell(YOURS); pass(9); tell(OURS); pass(100);")
    assert given["left"] == 1  # our patience
    assert "late" not in given
    assert "still be right" in given["ended"]


def test_each_piece_of_the_readers_code_has_its_own_time():
    done = "tell({ id: 1, told: '{}' });"
    given = after(f"for (let n = 0; n < 9; n++) {{ tell(YOURS); pass(9); tell(OURS); }} {done}")
    assert given["told"]["card"] == ""
    assert (given["ends"], given["left"], given["slow"]) == (0, 0, 1)


def test_a_python_that_has_stopped_is_ended_so_that_another_is_begun():
    given = after("tell({ id: 1, failed: 'Traceback ... Exit' });")
    assert "has stopped" in given["ended"]
    assert (given["ends"], given["left"]) == (1, 0)


#: Scripts that each bring a part of a file; the last brings none.
ARRIVING = """
globalThis.window = { tensorgraderParts: {} };
const append = (script) => setImmediate(() => {
  if (script.src !== "c.js") window.tensorgraderParts[script.src] = btoa(script.src);
  script.onload(); // before another script runs, as in a browser
});
globalThis.document = { createElement: () => ({ remove() {} }), head: { append } };
const come = async (...scripts) => {
  const { file } = await bring({ file: scripts.map((script) => [script, 1]) }, "", () => {});
  return file.text();
};
"""


def test_two_may_let_the_same_files_come_at_once():
    both = 'Promise.all([come("a.js"), come("a.js")])'
    assert asked(("files.js",), both, ARRIVING) == ["a.js"] * 2


def test_a_script_that_brings_nothing_is_said():
    said = asked(("files.js",), 'come("a.js", "c.js").catch((error) => error.message)', ARRIVING)
    assert "c.js" in said
