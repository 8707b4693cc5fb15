"""What greets a learner, and what never happens to their files."""

import hashlib
import subprocess
import sys

from playwright.sync_api import expect

from tests.jupyterlab.server import COMMAND, environment


def state(folder):
    """Give each file's content and time of change."""
    return {
        path.relative_to(folder): (
            hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns
        )
        for path in folder.rglob("*") if path.is_file()
    }  # fmt: skip


def start(folder):
    done = subprocess.run(
        [COMMAND, "start", str(folder)], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_second_start_touches_no_file(tmp_path):
    start(tmp_path / "lab")
    mine = tmp_path / "lab/exercises/attention.ipynb"
    mine.write_text("what I made of it")
    (tmp_path / "lab/notes.txt").write_text("mine too")
    before = state(tmp_path)
    assert len(before) >= 3
    assert f"kept  {mine}" in start(tmp_path / "lab")
    assert state(tmp_path) == before


def test_a_second_start_only_brings_back_what_is_missing(tmp_path):
    start(tmp_path / "lab")
    before = state(tmp_path)
    (tmp_path / "lab/book/attention.ipynb").unlink()
    start(tmp_path / "lab")
    after = state(tmp_path)
    changed = {path.as_posix() for path in before if before[path] != after[path]}
    assert changed == {"lab/book/attention.ipynb"}


def test_the_watch_on_the_server_sees_who_asks_outside(tmp_path):
    variables = environment(tmp_path)
    ask = "import socket\ntry: socket.getaddrinfo({!r}, 80)\nexcept OSError: pass"
    for host in ("127.0.0.1", "localhost", None):
        subprocess.run([sys.executable, "-c", ask.format(host)], env=variables, check=True)
    outside = tmp_path / "outside"
    assert not outside.exists()
    subprocess.run([sys.executable, "-c", ask.format("book.invalid")], env=variables, check=True)
    assert outside.read_text().startswith("book.invalid")


def test_the_first_thing_to_see_is_the_chapter(lab, open_page):
    page = open_page(f"{lab.url}/?token={lab.token}")
    expect(page.get_by_role("heading", name="Attention", exact=True)).to_be_visible(timeout=60_000)
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=60_000)
    assert page.locator(".jp-Dialog, .Toastify__toast").count() == 0
    text = page.locator(".jp-RenderedMarkdown p", has_text="The answer is a formula of one line")
    assert text.bounding_box()["width"] <= 42 * 16, "the book's measure, from .jupyter/custom"
    page.get_by_role("link", name="the exercise").first.click()
    expect(page.get_by_role("heading", name="Exercise: attention")).to_be_visible()


def test_jupyterlab_asks_nobody_for_news_or_extensions(lab, open_page):
    page = open_page("about:blank")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{lab.url}/lab?reset&token={lab.token}")
    page.get_by_role("tab", name="Extension Manager").click()
    page.get_by_text("Extension installation is disabled").or_(
        page.locator(".jp-extensionmanager-view")
    ).first.wait_for()
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "/lab/api/news" in url or "/lab/api/update" in url]
