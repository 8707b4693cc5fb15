"""Record the README's animation of an exercise on its page, in light and in dark.

usage: python tools/moving_picture.py [FOLDER]     (.github; needs the built book and a Chromium)

A likely wrong softmax is written, its mistake is named, and it is corrected.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.chromium import PATIENCE, SITE, launch  # noqa: E402

SCREEN = {"viewport": {"width": 720, "height": 900}, "device_scale_factor": 1}
HIGH, EDGE = 700, 10  # pixels of the picture, and around it
ANSWER = "#attention-softmax"
ALONE = (
    f".bd-header-article {{ display: none !important }} {ANSWER} {{ scroll-margin-top: 20px }} "
    f":has(> {ANSWER}) > :not({ANSWER}), :has(> {ANSWER}) ~ * {{ visibility: hidden }}"
)
KEYS, REST, READ = 120, 900, 4000  # milliseconds for some letters, between steps, for a card
HEAD = "def softmax(x):\n"
BEFORE, AFTER = "    e = torch.exp(x", ")\n    return e / e.sum(dim=-1, keepdim=True)"
MENDED = " - x.amax(dim=-1, keepdim=True)"
FIRST = BEFORE + AFTER

Frame = tuple[Image.Image, int]


def frames(page: Page, answer: Locator) -> Iterator[Frame]:
    """Type the answer, run it, correct it, run it; yield each picture and how long it stays."""
    answer.locator(".highlight[tabindex]").focus()
    editor = answer.locator(".cm-content")
    editor.fill(HEAD)
    yield picture(page, answer), REST
    written = [FIRST[:n] for n in range(4, len(FIRST) + 1, 4)]
    mended = [BEFORE + MENDED[:n] + AFTER for n in range(4, len(MENDED) + 1, 4)]
    for texts in ([*written, FIRST], [*mended, BEFORE + MENDED + AFTER]):
        for text in texts:
            editor.fill(HEAD + text)
            yield picture(page, answer), KEYS
        answer.get_by_role("button", name=re.compile("^Run ")).click()
        expect(page.locator("[aria-busy]")).to_have_count(0)
        yield picture(page, answer), READ


def picture(page: Page, answer: Locator) -> Image.Image:
    """Return a screenshot of the answer, with what is below it."""
    answer.evaluate("answer => answer.scrollIntoView()")
    box = answer.bounding_box() or {}
    x, y, width = (box[name] for name in ("x", "y", "width"))
    clip = {"x": x - EDGE, "y": y - EDGE, "width": width + 2 * EDGE, "height": HIGH}
    shot = page.screenshot(animations="disabled", caret="hide", clip=clip)
    return Image.open(io.BytesIO(shot)).convert("RGB")


def main(folder: Path) -> None:
    """Write exercise.webp and exercise-dark.webp."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for end, scheme in (("", "light"), ("-dark", "dark")):
            page = browser.new_page(color_scheme=scheme, **SCREEN)
            page.set_default_timeout(PATIENCE)
            page.goto((SITE / "exercises/attention.html").as_uri())
            page.add_style_tag(content=ALONE)
            answer = page.locator(ANSWER)
            (first, *rest), times = zip(*frames(page, answer), strict=True)
            target = folder / f"exercise{end}.webp"
            first.save(target, append_images=rest, duration=times, loop=0, lossless=True, method=6)
            print(target, target.stat().st_size, first.size)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / ".github")
