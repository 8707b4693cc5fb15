/* The search page, besides what Sphinx does: titles that hold all words come first, chapters before exercises, and
   of what was found its text is shown. (From a folder, file://, no script may read the pages that were found.) */
(() => {
  const asked = new URLSearchParams(location.search).get("q") ?? "";
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const APART = "h1, :scope > :is(h2, h3, h4), .headerlink, nav, .tl-where, .tl-lab-intro, .tl-fold, script, style";

  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";

  Scorer.score = ([page, title, , , score]) => {
    const isTitle = words.every((word) => title.toLowerCase().includes(word));
    return score + (isTitle ? 20 : 0) + (page.startsWith("book/") ? 1 : 0);
  };

  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const place = page.querySelector(`article ${anchor ?? ""}`);
    for (const apart of place?.querySelectorAll(APART) ?? []) apart.remove();
    for (const formula of place?.querySelectorAll("math") ?? []) formula.replaceWith("…");
    return place?.textContent?.trim() ?? "";
  };
})();
