/**
 * The home of the widgets on a page without a kernel. Each `.tl-widget` on the page gets its files
 * when it comes near the screen, unless it carries them; `Model` stands where a kernel would, and
 * answers from the baked frames. It has the part of the anywidget front-end interface that the
 * widgets use. An address such as `page.html#attention_explorer:d_k=64` moves the controls.
 * Classic scripts and no fetch, so that a copy of the book works from a folder (file://).
 */
window.transformerLab = (() => {
  const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

  class Model {
    #state; #data; #compute; #listeners = new Map();

    /** @param compute what the page computes itself, on top of the baked frame (optional) */
    constructor(data, start, compute) {
      this.#data = data;
      this.#compute = compute;
      this.#state = { ...data.state, ...start };
      this.#state.frame = this.#frame();
    }
    get(name) { return this.#state[name]; }
    set(name, value) {
      if (same(this.#state[name], value)) return;
      this.#state[name] = value;
      this.#emit(`change:${name}`);
    }
    /** What the kernel does when a change reaches it: answer with the frame that belongs to it. */
    save_changes() {
      const { axes, free } = this.#data;
      if ([...Object.keys(axes), ...free].some((name) => !same(this.#state[name], this.#state.frame[name]))) {
        this.#state.frame = this.#frame();
        this.#emit("change:frame");
      }
    }
    on(event, callback) {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), callback]);
    }
    off(event, callback) {
      this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((c) => c !== callback));
    }
    #emit(event) { for (const callback of this.#listeners.get(event) ?? []) callback(); }
    /** Find the baked frame (own words have none: any will do, the page computes them). */
    #frame() {
      const { axes, free, frames, blob } = this.#data;
      const at = Object.fromEntries(free.map((name) => [name, this.#state[name]]));
      let index = 0;
      for (const [name, stops] of Object.entries(axes)) {
        at[name] = this.#state[name];
        index = index * stops.length + Math.max(stops.findIndex((stop) => same(stop, at[name])), 0);
      }
      const values = Object.entries(frames[index]).map(([name, value]) =>
        [name, value?.size === undefined ? value : new DataView(blob.buffer, value.from, value.size)]);
      const frame = { ...at, ...Object.fromEntries(values) };
      return this.#compute ? { ...frame, ...this.#compute(this.#state, frame) } : frame;
    }
  }

  const widgets = {}, data = {}, loading = {}, mounted = new Map();
  const load = (src) => (loading[src] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src, onload: resolve, onerror: () => reject(new Error(`cannot load ${src}`)) });
    document.head.append(script);
  }));
  const unpack = (content) => ({ ...content, blob: Uint8Array.from(atob(content.blob), (c) => c.charCodeAt(0)) });

  async function mount(el) {
    const { widget, assets, start, predict } = el.dataset;
    const own = el.querySelector("script");
    if (assets) {
      for (const name of ["pictures", "kit"]) await load(`${assets}${name}.js`);
      await Promise.all([load(`${assets}${widget}.js`), own || load(`${assets}${widget}.data.js`)]);
    }
    const content = own ? unpack(JSON.parse(own.textContent)) : data[widget];
    const { render, compute } = widgets[widget];
    const model = new Model(content, { ...JSON.parse(start), predict: JSON.parse(predict ?? "null") }, compute);
    const place = el.querySelector(".tl-home");
    const link = (fragment) => `${location.href.split("#")[0]}#${el.id}:${fragment}`;
    mounted.set(el, { model, close: render({ model, el: place, link }) });
    follow();
  }

  /** Move the controls of the widget that the address names to where the address says. */
  function follow() {
    const [id, text] = location.hash.slice(1).split(":");
    const model = mounted.get(document.getElementById(id))?.model;
    if (!model || !text) return;
    for (const [name, value] of new URLSearchParams(text.replaceAll(",", "&"))) {
      const offer = model.get("stops")[name], number = Number(value);
      if (Array.isArray(offer)) {
        const stop = offer.find((stop) => String(stop) === value);
        if (stop !== undefined) model.set(name, stop);
      } else if (offer && number >= offer.low && number <= offer.high) model.set(name, number);
    }
    model.save_changes();
  }
  function approach() {
    const [id, text] = location.hash.slice(1).split(":");
    if (text) document.getElementById(id)?.scrollIntoView();
    follow();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        mount(target);
      }
    }, { rootMargin: "400px" });
    document.querySelectorAll(".tl-widget[data-widget]").forEach((el) => {
      const { widget } = el.dataset;
      let count = 1;
      for (el.id = widget; document.getElementById(el.id) !== el; el.id = `${widget}-${count}`) count++;
      near.observe(el);
    });
    addEventListener("hashchange", approach);
    approach();
  });

  return {
    Model,
    widgets,
    /** The widgets on the page that are drawn: place → { model, close }. */
    mounted,
    /** Called by a baked data file: the grid's axes, the first state, the frames and their bytes. */
    baked(widget, content) { data[widget] = unpack(content); },
  };
})();
