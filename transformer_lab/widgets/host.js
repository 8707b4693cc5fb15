/**
 * The home of the widgets on a page without a kernel. Each `.tl-widget` on the page gets its files
 * when it comes near the screen; `Model` stands where a kernel would, and answers from the baked
 * frames. It has the part of the anywidget front-end interface that the widgets use.
 * Classic scripts and no fetch, so that a copy of the book works from a folder (file://).
 */
window.transformerLab = (() => {
  class Model {
    #state; #data; #listeners = new Map();

    constructor(data, start) {
      this.#data = data;
      this.#state = { ...data.state, ...start };
      this.#state.frame = this.#frame();
    }
    get(name) { return this.#state[name]; }
    set(name, value) {
      if (this.#state[name] === value) return;
      this.#state[name] = value;
      this.#emit(`change:${name}`);
    }
    /** What the kernel does when a change reaches it: answer with the frame that belongs to it. */
    save_changes() {
      const { axes } = this.#data;
      if (Object.keys(axes).some((name) => this.#state[name] !== this.#state.frame[name])) {
        this.set("frame", this.#frame());
      }
    }
    on(event, callback) {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), callback]);
    }
    off(event, callback) {
      this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((c) => c !== callback));
    }
    #emit(event) { for (const callback of this.#listeners.get(event) ?? []) callback(); }
    #frame() {
      const { axes, frames, blob } = this.#data;
      const at = {};
      let index = 0;
      for (const [name, stops] of Object.entries(axes)) {
        at[name] = this.#state[name];
        index = index * stops.length + stops.indexOf(at[name]);
      }
      const values = Object.entries(frames[index]).map(([name, value]) =>
        [name, value?.size === undefined ? value : new DataView(blob.buffer, value.from, value.size)]);
      return { ...at, ...Object.fromEntries(values) };
    }
  }

  const widgets = {}, data = {}, loading = {};
  const load = (src) => (loading[src] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src, onload: resolve, onerror: () => reject(new Error(`cannot load ${src}`)) });
    document.head.append(script);
  }));

  async function mount(el) {
    const { widget, assets, start } = el.dataset;
    await Promise.all([load(`${assets}${widget}.js`), load(`${assets}${widget}.data.js`)]);
    const model = new Model(data[widget], JSON.parse(start));
    widgets[widget].render({ model, el });
  }

  document.addEventListener("DOMContentLoaded", () => {
    const near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        mount(target);
      }
    }, { rootMargin: "400px" });
    document.querySelectorAll(".tl-widget[data-widget]").forEach((el) => near.observe(el));
  });

  return {
    Model,
    widgets,
    /** Called by a baked data file: the grid's axes, the first state, the frames and their bytes. */
    baked(widget, content, base64) {
      data[widget] = { ...content, blob: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) };
    },
  };
})();
