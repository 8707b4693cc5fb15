"""A notebook in JupyterLab as a learner drives it, and its kernel as JupyterLab drives it."""

import ast
import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import nbformat
from jupyter_client import AsyncKernelClient
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page, expect

from tests.jupyterlab.server import Lab

#: On a busy machine it takes its time to load real models and to train one; waiting ends as soon as
#: there is something to see.
PATIENCE = 240_000


def written(lab: Lab, path: str, sources: list[str]) -> str:
    """Write a notebook of code cells into the learner's folder; give its path there."""
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    cells = [new_code_cell(source) for source in sources]
    nbformat.write(new_notebook(cells=cells, metadata=metadata), lab.folder / path)
    return path


class Kernel:
    """A second client of a notebook's kernel, in its own thread, away from Playwright's loop."""

    def __init__(self, lab: Lab, path: str):
        self._thread = ThreadPoolExecutor(1)
        self._runner = asyncio.Runner()
        self._client = AsyncKernelClient(connection_file=str(lab.kernel_file(path)))
        self._client.load_connection_file()
        self._do(self._connect())

    def value(self, expression: str) -> object:
        reply = self.start("", expression)()
        return ast.literal_eval(reply["user_expressions"]["value"]["data"]["text/plain"])

    def comes_to(self, expression: str, value: object) -> None:
        """Wait until an expression has a value there: what a page sends takes its time."""
        end = time.monotonic() + PATIENCE / 1000
        while (now := self.value(expression)) != value:
            assert time.monotonic() < end, f"{expression} is {now}, not {value}"
            time.sleep(0.05)  # the page hears of each question, and has its work with it

    def run(self, code: str) -> None:
        self.start(code)()

    def start(self, code: str, expression: str = "None") -> Callable[[], dict]:
        """Begin to run something; gives a function that waits for the end and returns the reply."""
        sent = self._do(self._send(code, {"value": expression}))
        return lambda: self._do(self._reply(sent))

    def close(self) -> None:
        self._do(self._disconnect())
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def _do(self, coroutine: Coroutine) -> Any:
        return self._thread.submit(self._runner.run, coroutine).result()

    async def _connect(self):
        self._client.start_channels()

    async def _disconnect(self):
        self._client.stop_channels()

    async def _send(self, code, expressions):
        return self._client.execute(code, user_expressions=expressions, store_history=False)

    async def _reply(self, sent):
        while True:
            reply = await self._client.get_shell_msg(timeout=PATIENCE / 1000)
            if reply["parent_header"]["msg_id"] == sent:
                assert reply["content"]["status"] == "ok", reply["content"]
                return reply["content"]


class Notebook:
    """A notebook open in JupyterLab."""

    def __init__(self, page: Page, lab: Lab, path: str):
        self.page, self.lab, self.path = page, lab, path
        page.set_default_timeout(PATIENCE)
        page.goto(f"{lab.url}/lab/tree/{path}?reset&token={lab.token}")
        self.wait_until_ready()

    @property
    def file(self):
        return self.lab.folder / self.path

    def wait_until_ready(self) -> None:
        """Wait until the text is there and the kernel has nothing to do."""
        self.cells.first.wait_for()
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        status = self.page.locator("#jp-main-statusbar")
        expect(status).to_contain_text("Python 3 (ipykernel) | Idle", timeout=PATIENCE)

    @property
    def cells(self) -> Locator:
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell")

    def cell(self, text: str) -> Locator:
        source = self.page.locator(".jp-InputArea-editor", has_text=text)
        return self.page.locator(".jp-Notebook .jp-CodeCell", has=source).first

    def errors(self) -> list[str]:
        kinds = ("application/vnd.jupyter.error", "application/vnd.jupyter.stderr")
        outputs = ", ".join(f'.jp-OutputArea-output[data-mime-type="{kind}"]' for kind in kinds)
        return self.page.locator(outputs).all_text_contents()

    def menu(self, name: str, command: str) -> None:
        self.page.get_by_role("menuitem", name=name, exact=True).click()
        self.page.locator(f'.lm-Menu-item[data-command="{command}"]').click()

    def run(self, text: str) -> None:
        """Click into the cell with this text, and run it without an error."""
        self.cell(text).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        self.wait_until_run()
        assert self.errors() == []

    def run_all(self) -> None:
        """Run every cell, from the menu; wait until all are done."""
        self.menu("Run", "runmenu:run-all")
        self.wait_until_run()

    def wait_until_run(self) -> None:
        expect(self.page.locator(".jp-InputArea-prompt", has_text="[*]")).to_have_count(
            0, timeout=PATIENCE
        )
        self.wait_until_idle()

    def restart_and_run_all(self) -> None:
        self.menu("Run", "runmenu:restart-and-run-all")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        expect(self.page.locator(".jp-InputArea-prompt", has_text="[*]").first).to_be_visible()
        self.wait_until_run()

    def reload(self) -> None:
        self.page.reload()
        self.wait_until_ready()

    def reload_to(self, selector: str) -> Locator:
        """Reload, and again where JupyterLab shows widgets too early (its #15361); give the widget.

        It may show a widget before it has read the state that was saved, and never tries again.
        """
        widget = self.page.locator(selector)
        early = self.page.get_by_text("Error displaying widget: model not found")
        for _ in range(10):
            self.reload()
            expect(widget.or_(early).first).to_be_attached(timeout=PATIENCE)
            if not early.count():
                return widget
        raise AssertionError(f"{selector} never comes back")

    def wait_until_saved(self) -> None:
        expect(self.page.locator(".jp-mod-current.jp-mod-dirty")).to_have_count(0)
