/* On paper nothing can be opened and dark is wasted ink: predictions show their answers and deep
   dives are open, in the light theme, and afterwards all is as it was. Hints and solutions stay folded. */
(() => {
  const page = document.documentElement;
  let restore = () => {};
  addEventListener("beforeprint", () => {
    const theme = page.dataset.theme;
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const shut = document.querySelectorAll("details:is(.predict, .deep, .tl-right):not([open])");
    page.dataset.theme = "light";
    for (const question of shut) question.open = true;
    restore = () => {
      page.dataset.theme = theme;
      for (const question of shut) question.open = false;
    };
  });
  addEventListener("afterprint", () => restore());
})();
