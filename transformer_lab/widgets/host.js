/**
 * The widgets' home on a page without a kernel. Each `.tl-widget` gets its files when it comes near
 * the screen, unless it carries them. An address such as `page.html#attention_explorer:d_k=64` moves
 * controls. Classic scripts and no fetch, so that a copy of the book works from a folder (file://).
 */
window.transformerLab = (() => {
  const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

  /** What anywidget gives to a widget; instead of a kernel, the baked frames answer. */
  class Model {
    #state;
    #data;
    #compute;
    #listeners = new Map();
    #read;
    /** For which place a real model was asked. */
    #asked;
    /** Where it says that it may come, and what it does. @type {HTMLElement | undefined} */
    own;

    /**
     * @param {Baked} data
     * @param {State} start
     * @param {Compute} [compute] on top of the baked frame
     * @param {Ask} [ask] for what is not baked
     */
    constructor(data, start, compute, ask) {
      this.#data = data;
      this.#compute = compute;
      this.#read = ask;
      if (ask) this.own = Object.assign(document.createElement("div"), { className: "tl-own" });
      this.#state = { ...data.state, ...start };
      this.#state.frame = this.#frame();
    }
    /** What nobody here computes. */
    get fixed() {
      return this.#compute || this.#read ? [] : this.#data.free;
    }
    get(name) {
      return this.#state[name];
    }
    set(name, value) {
      if (same(this.#state[name], value)) return;
      this.#state[name] = value;
      this.#emit(`change:${name}`);
    }
    /** What the kernel does when a change reaches it: answer with the frame that belongs to it. */
    save_changes() {
      const at = this.#place();
      const shown = this.#state.frame;
      if (Object.keys(at).every((name) => same(at[name], shown[name]))) return;
      if (this.#read && !this.#isBaked(at)) return this.#ask(at);
      this.own?.replaceChildren();
      this.#show(this.#frame());
    }
    #show(frame) {
      this.#state.frame = frame;
      this.#emit("change:frame");
    }
    /** Show what a real model makes of it, unless the controls have gone on by then. */
    async #ask(at) {
      if (same(at, this.#asked)) return;
      this.#asked = at;
      const told = Object.entries(this.#frame()).filter(([, value]) => !(value instanceof DataView));
      const answer = await this.#read(at, Object.fromEntries(told), this.own).catch((e) => ({ trouble: e.message }));
      if (!same(at, this.#asked)) return;
      this.#asked = undefined;
      if (same(at, this.#place())) this.#show({ ...at, ...answer });
    }
    on(event, callback) {
      this.#listeners.set(event, [...this.#heard(event), callback]);
    }
    off(event, callback) {
      this.#listeners.set(
        event,
        this.#heard(event).filter((each) => each !== callback),
      );
    }
    #heard(event) {
      return this.#listeners.get(event) ?? [];
    }
    #emit(event) {
      for (const callback of this.#heard(event)) callback();
    }
    /** Where the controls stand on which the frame depends. */
    #place() {
      const { axes, free } = this.#data;
      return Object.fromEntries([...free, ...Object.keys(axes)].map((name) => [name, this.#state[name]]));
    }
    #isBaked(at) {
      const { axes, free, state } = this.#data;
      const isStop = ([name, stops]) => stops.some((stop) => same(stop, at[name]));
      return Object.entries(axes).every(isStop) && free.every((name) => same(at[name], state[name]));
    }
    /** Find the baked frame (own words have none: any will do, the page computes them). */
    #frame() {
      const { axes, frames, blob } = this.#data;
      const at = this.#place();
      let found = frames;
      for (const [name, stops] of Object.entries(axes)) {
        const place = stops.findIndex((stop) => same(stop, at[name]));
        found = found[Math.max(place, 0)];
      }
      const read = (value) => (value?.size === undefined ? value : new DataView(blob.buffer, value.from, value.size));
      const values = Object.entries(found).map(([name, value]) => [name, read(value)]);
      const frame = { ...at, ...Object.fromEntries(values) };
      return { ...frame, ...this.#compute?.(this.#state, frame) };
    }
  }

  /** The widgets for which real models may come to this page, to read what is not baked. */
  const readers = document.currentScript?.dataset.words?.split(" ") ?? [];

  const widgets = {};
  const data = {};
  const loading = {};
  const mounted = new Map();

  function load(src) {
    loading[src] ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const onerror = () => {
        delete loading[src]; // the next time may have more luck
        reject(new Error(`cannot load ${src}`));
      };
      document.head.append(Object.assign(script, { src, onload: resolve, onerror }));
    });
    return loading[src];
  }
  const unpack = (content) => ({
    ...content,
    blob: Uint8Array.from(atob(content.blob), (letter) => letter.charCodeAt(0)),
  });

  async function mount(el) {
    const { widget = "", assets, start = "{}", predict = "null" } = el.dataset;
    const own = el.querySelector("script");
    if (assets) {
      await load(`${assets}kit.js`);
      await Promise.all([load(`${assets}${widget}.js`), own || load(`${assets}${widget}.data.js`)]);
    }
    const content = own ? unpack(JSON.parse(own.textContent)) : data[widget];
    const { render, compute } = widgets[widget];
    const ask = async (at, baked, place) => {
      await load(`${assets}words/words.js`);
      return window.transformerLab.words?.ask({ widget, at, baked }, place);
    };
    const given = { ...JSON.parse(start), predict: JSON.parse(predict) };
    const model = new Model(content, given, compute, readers.includes(widget) ? ask : undefined);
    const place = el.querySelector(".tl-home") ?? el;
    const address = location.href.split("#")[0];
    const close = render({ model, el: place, link: (fragment) => `${address}#${el.id}:${fragment}` });
    mounted.set(el, { model, close });
    follow();
  }

  const addressed = () => location.hash.slice(1).split(":");
  /** Move the controls of the widget that the address names to where the address says. */
  function follow() {
    const [id, text] = addressed();
    const el = document.getElementById(id);
    const model = el && mounted.get(el)?.model;
    if (!model || !text) return;
    for (const [name, value] of new URLSearchParams(text.replaceAll(",", "&"))) {
      const stop = offered(model.get("stops")[name], value);
      if (stop !== undefined) model.set(name, stop);
    }
    model.save_changes();
  }
  function offered(offer, value) {
    if (Array.isArray(offer)) return offer.find((stop) => String(stop) === value);
    const number = Number(value);
    return number >= offer?.low && number <= offer?.high ? number : undefined;
  }
  function approach() {
    const [id, text] = addressed();
    if (text) document.getElementById(id)?.scrollIntoView();
    follow();
  }

  document.addEventListener("DOMContentLoaded", () => {
    function arrive(entries) {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        mount(target);
      }
    }
    const near = new IntersectionObserver(arrive, { rootMargin: "400px" });
    /** @type {NodeListOf<HTMLElement>} */
    const places = document.querySelectorAll(".tl-widget[data-widget]");
    for (const el of places) {
      const { widget = "" } = el.dataset;
      el.id = widget;
      for (let count = 2; document.getElementById(el.id) !== el; count++) el.id = `${widget}-${count}`;
      near.observe(el);
    }
    addEventListener("hashchange", approach);
    approach();
  });

  return {
    Model,
    widgets,
    mounted,
    baked(widget, content) {
      data[widget] = unpack(content);
    },
  };
})();
