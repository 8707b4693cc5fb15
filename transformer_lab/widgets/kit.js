/**
 * What all widgets share. A widget's file is `export default widgetKit.widget(stem, build)`; before
 * it stand pictures.js and this file: in one text for a live kernel, as scripts on a page.
 */
const widgetKit = (() => {
  const { fill, h, number } = widgetPictures;
  const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);
  let instances = 0;

  /** The control of one trait: numbers slide, words are chosen, true and false are switched. */
  function control(ui, name) {
    const { model, on } = ui, id = `${ui.id}-${name}`, label = model.get("labels")[name];
    const offer = () => model.get("stops")[name], get = () => model.get(name);
    const set = (value) => ui.move({ [name]: value });
    const made = (row, show) => ({ name, show, row: fill(row, { "data-name": name }, []) });
    const stops = offer();
    if (typeof stops[0] === "boolean") {
      const input = h("input", { type: "checkbox" });
      on(input, "change", () => set(input.checked));
      return made(h("label", { class: "tl-switch" }, input, ` ${label}`), () => { input.checked = get(); });
    }
    if (Array.isArray(stops[0])) return sentence(ui, name, id, label, made);
    if (typeof stops[0] === "string") {
      const inputs = stops.map((stop) => h("input", { type: "radio", name: id, value: stop }));
      inputs.forEach((input) => on(input, "change", () => set(input.value)));
      const choices = inputs.map((input) => h("label", {}, input, ` ${input.value}`));
      return made(h("fieldset", { class: "tl-choice" }, h("legend", {}, label), ...choices),
        () => inputs.forEach((input) => { input.checked = input.value === get(); }));
    }
    const span = Array.isArray(stops) ? { low: 0, high: stops.length - 1, step: 1 } : stops;
    const input = h("input", { id, type: "range", min: span.low, max: span.high, step: span.step });
    const output = h("output", { for: id });
    on(input, "input", () => set(span === stops ? Number(input.value) : stops[input.value]));
    return made(h("div", { class: "tl-slider" }, h("label", { for: id }, label), input, output), () => {
      input.value = span === stops ? get() : stops.indexOf(get());
      output.textContent = span === stops ? Number(get().toPrecision(3)) : get();
      input.setAttribute("aria-valuetext", output.textContent);
    });
  }

  /** The control of a sentence: the baked ones, and a field for one's own where somebody computes. */
  function sentence(ui, name, id, label, made) {
    const { model, on, typed } = ui, offer = () => model.get("stops")[name];
    const select = h("select", { id });
    let all;
    on(select, "change", () => ui.move({ [name]: all[select.selectedIndex] }));
    const field = h("input", { type: "text", id: `${id}-own`, "aria-label": "Your own words, then Enter", placeholder: "your own words, then Enter" });
    const accept = () => {
      const own = field.value.split(/\s+/).filter(Boolean), most = Math.max(...offer().map((sentence) => sentence.length));
      if (own.length >= 2 && own.length <= most) ui.move({ [name]: own });
      else ui.warn(`2 to ${most} words fit here, but there are ${own.length}.`);
    };
    on(field, "change", accept);
    on(field, "keydown", ({ key }) => { if (key === "Enter") accept(); }); // JupyterLab stops the change
    const row = h("div", { class: "tl-words" }, h("label", { for: id }, label), select, ...(typed ? [field] : []));
    return made(row, () => {
      const now = model.get(name), known = offer().some((sentence) => same(sentence, now));
      all = known ? offer() : [...offer(), now];
      select.replaceChildren(...all.map((sentence) => h("option", {}, sentence.join(" "))));
      if (!typed) select.append(h("option", { disabled: "" }, "your own words: open this page as a notebook"));
      select.selectedIndex = all.findIndex((sentence) => same(sentence, now));
    });
  }

  /** A question before a control unlocks; once that has moved, the answer, whose place is kept. */
  function guess(ui, controls) {
    const asked = ui.model.get("predict");
    if (!asked) return [];
    const { question, choices, answer, because, unlocks } = asked;
    const { row } = controls.find((one) => one.name === unlocks), label = ui.model.get("labels")[unlocks];
    const lock = (locked) => row.querySelectorAll("input, select").forEach((input) => { input.disabled = locked; });
    const said = h("p", { role: "status" }, `Choose first: then “${label}” can be moved.`);
    const told = (choice) => `${choice === answer ? "As you said" : `You said ${choice}, but it is`}: ${answer}. ${because}`;
    const kept = choices.map(told).sort((a, b) => b.length - a.length)[0];
    let mine;
    const radios = choices.map((choice) => h("input", { type: "radio", name: `${ui.id}-guess`, value: choice }));
    radios.forEach((radio) => ui.on(radio, "change", () => {
      mine = radio.value;
      radios.forEach((other) => { other.disabled = true; });
      lock(false);
      said.textContent = `You say: ${mine}. Now move “${label}” and see.`;
    }));
    ui.watch(unlocks, () => {
      if (mine) said.textContent = told(mine);
    });
    lock(true);
    return [h("fieldset", { class: "tl-guess" }, h("legend", {}, question),
      ...radios.map((radio) => h("label", {}, radio, ` ${radio.value}`)), h("div", { class: "tl-said" }, said, h("p", {}, kept)))];
  }

  /** A matrix of numbers as a table. */
  const table = ({ caption, columns, rows }) => h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...columns.map((name) => (name ? h("th", { scope: "col" }, name) : h("td"))))),
    h("tbody", {}, ...rows.map(([head, ...cells]) => h("tr", {}, h("th", { scope: "row" }, head),
      ...cells.map((cell) => h("td", {}, typeof cell === "number" ? number(cell) : cell))))));

  /** Copy a text; where a page may not, the reader does it. */
  async function copy(text) {
    try { await navigator.clipboard.writeText(text); } catch { prompt("To copy:", text); }
  }
  const python = (value) => ({ true: "True", false: "False" })[value] ?? JSON.stringify(value);

  /**
   * Make a widget. `build(ui)` returns { main, side, draw(frame), numbers(frame) }: elements, what
   * draws a frame into them and returns a sentence to be read aloud, and the numbers as tables.
   * `compute(state, frame)` is for what readers type or drag: the page computes it without a kernel.
   */
  function widget(stem, build, compute) {
    function render({ model, el, link }) {
      const names = Object.keys(model.get("stops"));
      const state = () => Object.fromEntries(names.map((name) => [name, model.get(name)]));
      const start = state(), listeners = new AbortController(), watched = [];
      const ui = {
        model, id: `tl-${stem}-${++instances}`, typed: !link || Boolean(compute),
        /** Listen to the page, until the widget is taken away. */
        on: (target, event, handler) => target.addEventListener(event, handler, { signal: listeners.signal }),
        /** Listen to a value, until the widget is taken away. */
        watch: (name, handler) => { watched.push([`change:${name}`, handler]); model.on(`change:${name}`, handler); },
        /** Say what is wrong with what a reader gave; the next frame takes it back. */
        warn: (text) => { trouble.textContent = text; },
        /** Set values, as one change. */
        move: (changes) => {
          for (const [name, value] of Object.entries(changes)) model.set(name, value);
          model.save_changes();
        },
      };
      const button = (text, act) => {
        const made = h("button", { type: "button", class: "tl-button" }, text);
        ui.on(made, "click", act);
        return made;
      };
      const controls = names.map((name) => control(ui, name));
      const reset = button("Reset", () => ui.move(start));
      const invitation = link ? "Copy link" : "Copy as Python";
      const share = button(invitation, async () => {
        const line = names.map((name) => `${name}=${python(model.get(name))}`).join(", ");
        const title = stem.replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase());
        const address = link?.(new URLSearchParams(state()).toString().replaceAll("&", ","));
        if (address) history.replaceState(null, "", address);
        await copy(address ?? `${title}(${line})`);
        share.textContent = "Copied";
      });
      const status = h("span", { class: "tl-status", role: "status" });
      const trouble = h("p", { class: "tl-trouble", role: "alert" });
      const tables = h("div", { class: "tl-tables", role: "region", tabindex: 0, "aria-label": `Numbers: ${stem.replaceAll("_", " ")}` });
      const numbers = h("details", { class: "tl-numbers" }, h("summary", {}, "Show numbers"), tables);
      const { main, side, draw, numbers: read } = build(ui);
      const body = h("div", { class: "tl-body" },
        h("div", { class: "tl-side" }, h("div", { class: "tl-controls" }, ...controls.map((c) => c.row),
          h("div", { class: "tl-row" }, reset, share, status)), ...side),
        h("div", { class: "tl-main" }, ...main), h("div", { class: "tl-foot" }, trouble, numbers));

      let frame, later;
      /** Show where the controls stand, and whether the frame is still to come that belongs to them. */
      function steer() {
        for (const { show } of controls) show();
        const now = model.get("frame");
        body.setAttribute("aria-busy", names.some((name) => name in now && !same(now[name], model.get(name))));
        trouble.textContent = now.trouble ?? "";
        share.textContent = invitation;
      }
      /** Show the frame; one that tells of trouble leaves the last picture where it is. */
      function show() {
        steer();
        const now = model.get("frame");
        if (!now.trouble) frame = now;
        if (!frame) return;
        const words = draw(frame);
        if (numbers.open) tables.replaceChildren(...read(frame).map(table));
        clearTimeout(later); // read aloud at rest, not on the way
        if (body.contains(document.activeElement)) later = setTimeout(() => { status.textContent = words; }, 700);
      }
      ui.on(numbers, "toggle", show);
      // JupyterLab takes arrow keys, unless told not to; keys with Ctrl or ⌘ are its own.
      const keep = ({ target, ctrlKey, metaKey }) => target.toggleAttribute("data-lm-suppress-shortcuts", !(ctrlKey || metaKey));
      for (const type of ["focusin", "keydown", "keyup"]) ui.on(el, type, keep);
      for (const name of [...names, "stops"]) ui.watch(name, () => (name in model.get("frame") || name === "stops" ? steer() : show()));
      ui.watch("frame", show);
      el.replaceChildren(h("div", { class: `tl-widget tl-${stem.replaceAll("_", "-")}` }, ...guess(ui, controls), body));
      show();
      return () => {
        listeners.abort();
        clearTimeout(later);
        for (const [event, handler] of watched) model.off(event, handler);
      };
    }
    return { render, compute };
  }

  return { ...widgetPictures, widget };
})();
