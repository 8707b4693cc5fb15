/**
 * Cards come from where a learner's code runs, and that could send anything. So nothing of their HTML is
 * put into the page: what they may consist of is built anew, and the rest is left out.
 */
const CARD = {
  tags: new Set(
    "a b br caption code details div em i li p pre span summary table tbody td th thead tr ul".split(" ").map(upper),
  ),
  /** Attributes, and what each may say. */
  attributes: {
    "aria-hidden": /^true$/,
    "aria-label": /^/,
    class: /^(tl-card[\w-]*( |$))*$/,
    href: /^(\w[\w-]*\/)*\w[\w-]*\.html#[\w-]*$/, // from the root of the site
    open: /^$/,
    role: /^group$/,
    scope: /^(row|col)$/,
    style: /^--tl-(part|share):[\d.]+%?$/,
  },
  /** Elements and texts beyond these are no card's. */
  most: 10_000,
};

/** @param {string} text */
function upper(text) {
  return text.toUpperCase();
}

/**
 * Build what may be shown of a card.
 * @param {string} html
 */
export function builtCard(html) {
  const read = new DOMParser().parseFromString(html, "text/html"); // neither runs nor loads anything
  let left = CARD.most;
  /** @param {Node} from @param {Node} to */
  function build(from, to) {
    for (const child of from.childNodes) {
      if (left-- <= 0) return;
      if (child instanceof Text) to.appendChild(document.createTextNode(child.data));
      if (!(child instanceof HTMLElement) || !CARD.tags.has(child.tagName)) continue;
      const element = document.createElement(child.tagName);
      for (const [name, fits] of Object.entries(CARD.attributes)) {
        const value = child.getAttribute(name);
        if (value !== null && fits.test(value)) element.setAttribute(name, value);
      }
      build(child, to.appendChild(element));
    }
  }
  const card = document.createElement("div");
  build(read.body, card);
  return card;
}
