/* What is larger than its box is a stop of the keyboard, which can then move it; nothing else is.
   The theme's own script asks each box for its size one after the other, folded ones too, which
   holds up a long page: here the browser tells the sizes of what it shows. */
(() => {
  const BOXES = "pre, .cell_output, .output, .pst-scrollable-table-container";
  const page = document.getElementById("main-content");
  if (!page) return;
  const told = new ResizeObserver((entries) => {
    const boxes = entries.map((entry) => /** @type {HTMLElement} */ (entry.target));
    const stops = boxes.map((box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight);
    boxes.forEach((box, place) => {
      box.tabIndex = stops[place] ? 0 : -1;
    });
  });
  /** @param {Element} box What is watched already is told anew, as its content may have grown. */
  const watch = (box) => {
    told.unobserve(box);
    told.observe(box);
  };
  /** @param {MutationRecord} record Widgets keep within their width, and change with each move of a control. */
  const isOutside = ({ target }) => target instanceof Element && !target.closest(".tl-widget");
  const changed = new MutationObserver((all) => {
    const records = all.filter(isOutside);
    const around = records.map(({ target }) => target.parentElement?.closest(BOXES) ?? target);
    const added = records.flatMap((record) => [...record.addedNodes]);
    const elements = [...around, ...added].filter((node) => node instanceof Element);
    const within = elements.flatMap((element) => [...element.querySelectorAll(BOXES)]);
    const boxes = elements.filter((element) => element.matches(BOXES));
    new Set([...boxes, ...within]).forEach(watch);
  });
  page.querySelectorAll(BOXES).forEach(watch);
  changed.observe(page, { subtree: true, childList: true });
})();
