"""axe looks at a page: at everything in the light, in the dark at what depends on colours."""

from axe_playwright_python.sync_playwright import Axe

OPTIONS = {"preload": False, "resultTypes": ["violations"]}
OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
#: A page has thousands of words of code, and hundreds of formulas. Of those in like places one
#: stays as it is; other words become text of what they stand in, other formulas one text each.
THINNED = """() => {
    const seen = new Set();
    for (const one of document.querySelectorAll("pre span, math")) {
        let where = "";
        for (let at = one; at; at = at.parentElement) where += `${at.localName} ${at.className};`;
        if (seen.has(where) && one.localName === "math") one.textContent = one.textContent;
        else if (seen.has(where)) one.replaceWith(...one.childNodes);
        seen.add(where);
    }
}"""
STILL = "* { animation: none !important; transition: none !important; }"


def complaints(page, context=None, *, dark=False):
    """Give what axe has to say of a page, or of a part of it; nothing if all is well."""
    results = Axe().run(page, context, OPTIONS | (OF_COLOURS if dark else {}))
    return results.generate_report() if results.violations_count else ""


def complaints_in_both_themes(page):
    """Open all there is on a page of the book, and look at it in the dark, then in the light."""
    page.add_style_tag(content=STILL)
    page.locator("details").evaluate_all("all => all.forEach(it => { it.open = true; })")
    page.evaluate(THINNED)
    found = ""
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        themed = "theme => [undefined, theme].includes(document.documentElement.dataset.theme)"
        page.wait_for_function(themed, arg=theme)  # a page without scripts has no such mark
        found += complaints(page, dark=theme == "dark")
    return found
