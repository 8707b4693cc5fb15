/**
 * What the widgets of real models have besides: heads that a reader silences. It is part of their script in a
 * kernel; a page loads it where real models may come to compute what is not baked.
 * @type {OwnWords}
 */
const widgetOwnWords = (() => {
  /** Buttons that silence a head or its layer, and marks on the wall of all heads. */
  function silence(ui) {
    const { h, list, same } = widgetPictures;
    const button = () => h("button", { type: "button", class: "tl-button" });
    const [one, all] = [button(), button()];
    const marks = h("div");
    let chosen = { layer: 0, head: 0, heads: 0 };

    /** Silence some heads, or let them speak again if all of them are silent. */
    function toggle(heads) {
      const silent = ui.model.get("silent");
      const others = silent.filter((each) => !heads.some((head) => same(head, each)));
      const allSilent = silent.length - others.length === heads.length;
      ui.move({ silent: allSilent ? others : [...others, ...heads].sort(([a, b], [c, d]) => a - c || b - d) });
    }
    const whole = () => list(chosen.heads, (head) => [chosen.layer, head]);
    ui.on(one, "click", () => toggle([[chosen.layer, chosen.head]]));
    ui.on(all, "click", () => toggle(whole()));

    /** Say on the buttons and on the wall which heads are silent; only MiniLM compares sentences. */
    function draw({ model, silent, layers, heads }, layer, head, placed) {
      /** @type {HTMLElement | null | undefined} */
      const compare = marks.closest(".tl-body")?.querySelector("[data-name=second]");
      if (compare) compare.style.display = model === "MiniLM" ? "" : "none";
      chosen = { layer, head, heads };
      const isSilent = (one) => silent.some((each) => same(each, one));
      one.textContent = isSilent([layer, head]) ? "Let this head speak" : "Silence this head";
      all.textContent = whole().every(isSilent) ? `Let layer ${layer} speak` : `Silence layer ${layer}`;
      const there = silent.filter((each) => each[0] < layers && each[1] < heads);
      marks.replaceChildren(...there.map((each) => h("i", { style: placed(each[0], each[1]) })));
    }
    return { row: h("div", { class: "tl-row" }, one, all), marks, draw };
  }

  /** Of heads, which are chosen in the picture, there is no control to be seen. */
  const unseen = () => ({ row: widgetPictures.h("div", { hidden: "" }), show() {} });

  return { silence, unseen };
})();
