"""A Chromium that reaches nothing but this machine, for tests and measurements."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

SITE = Path(__file__).parents[1] / "_build/html"
#: Each window would load two pages for its address bar, which cost as much as one of ours. Chromium
#: takes the last such list only, so Playwright's stands here as well.
DISABLED = [
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding",
    "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints",
    "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
]  # fmt: skip
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    f"--disable-features={','.join(DISABLED)}",
]  # fmt: skip
SCREENS = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True},
}
#: Milliseconds for what comes on any machine in the end, and for a fault to be told.
PATIENCE = 120_000
#: Pixels by which a page scrolls sideways. (On a phone `innerWidth` grows with what is too wide.)
BEYOND = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
#: Waits until all that is near is there: fonts, pictures, widgets; and has been shown. What is
#: folded has a place, too, and is not loaded before it is opened.
SETTLED = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const near = (element) => {
        const { top, bottom, height } = element.getBoundingClientRect();
        return element.checkVisibility() && height && bottom > -400 && top < innerHeight + 400;
    };
    const there = (element) => element.complete ?? element.querySelector(".tl-numbers");
    const missing = (element) => near(element) && !there(element);
    do {
        await document.fonts.ready;
        await frame();
        await frame();
    } while ([...document.querySelectorAll("img, [data-widget]")].some(missing));
}"""
#: Watches how far things move by themselves; `shift()` tells.
WATCHED = """
window.moved = 0;
const add = (entries) => {
    for (const entry of entries) if (!entry.hadRecentInput) window.moved += entry.value;
};
const watch = new PerformanceObserver((list) => add(list.getEntries()));
watch.observe({ type: "layout-shift", buffered: true });
window.shift = () => { add(watch.takeRecords()); return window.moved; };
"""
HERE = ("http://127.0.0.1:", "file:", "data:", "blob:")


def launch(playwright):
    """Start the Chromium that is named or found; none on the machine is a failure."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    return playwright.chromium.launch(executable_path=found, args=FLAGS)


@contextmanager
def opener(browser, troubles):
    """Give a function that opens a page; whatever goes wrong in it is added to the troubles."""
    contexts = []

    def gate(route):
        if route.request.url.startswith(HERE):
            route.continue_()
        else:
            troubles.append(f"tried to reach {route.request.url}")
            route.abort()

    def open_(address, **options):
        context = browser.new_context(**(SCREENS["desktop"] | options))
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.route("**/*", gate)
        page = context.new_page()
        page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("response", lambda r: r.status >= 400 and troubles.append(f"{r.status}: {r.url}"))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
