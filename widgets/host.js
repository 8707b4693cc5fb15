/**
 * The widgets' home on a page without a kernel. Each `.tl-widget` gets its script and its frames when it comes
 * near the screen, unless it carries them. An address such as `page.html#attention_stepper:d_k=64` moves
 * controls. Classic scripts and no fetch, so that a copy of the book works from a folder (file://).
 */
import { same } from "./pictures.js";

/** What anywidget gives to a widget; instead of a kernel, the baked frames answer. */
export class Model {
  #state;
  #data;
  #compute;
  #listeners = {};

  /** @param {Baked} data @param {State} start @param {Compute} [compute] on top of the baked frame */
  constructor(data, start, compute) {
    this.#data = data;
    this.#compute = compute;
    this.#state = { ...data.state, ...start };
    this.#state.frame = this.#frame();
  }
  get(name) {
    return this.#state[name];
  }
  set(name, value) {
    if (same(this.#state[name], value)) return;
    this.#state[name] = value;
    this.#emit(`change:${name}`);
  }
  /** Answer a change with its frame, as a kernel does. */
  save_changes() {
    const shown = this.#state.frame;
    if (Object.entries(this.at).some(([name, value]) => !same(value, shown[name]))) this.show(this.#frame());
  }
  /** Where the controls stand on which the frame depends. */
  get at() {
    const { axes, free } = this.#data;
    return Object.fromEntries([...free, ...Object.keys(axes)].map((name) => [name, this.#state[name]]));
  }
  show(frame) {
    this.#state.frame = frame;
    this.#emit("change:frame");
  }
  on(event, callback) {
    this.#heard(event).add(callback);
  }
  off(event, callback) {
    this.#heard(event).delete(callback);
  }
  #heard(event) {
    this.#listeners[event] ??= new Set();
    return this.#listeners[event];
  }
  #emit(event) {
    for (const callback of [...this.#heard(event)]) callback();
  }
  /** Find the baked frame (own words have none: any will do). */
  #frame() {
    const { axes, frames, blob } = this.#data;
    const { at } = this;
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

const data = {};
const loading = {};

function load(src) {
  loading[src] ??= new Promise((resolve, reject) => {
    const onerror = () => reject(new Error(`cannot load ${src}`));
    document.head.append(Object.assign(document.createElement("script"), { src, onload: resolve, onerror }));
  });
  return loading[src];
}
const unpack = (content) => ({
  ...content,
  blob: Uint8Array.from(atob(content.blob), (letter) => letter.charCodeAt(0)),
});

async function mount(el) {
  const { widget = "", assets, needs, start = "{}", tries = "{}" } = el.dataset;
  const own = el.querySelector("script");
  const more = (name) => load(`${assets}${name}.js`);
  const wanted = [widget, ...(own ? [] : [`${widget}.data`]), ...(needs?.split(" ") ?? [])];
  if (assets) await Promise.all(wanted.map(more));
  const content = own ? unpack(JSON.parse(own.textContent)) : data[widget];
  const { render, compute } = window.transformerLab.widgets[widget];
  const Kind = window.transformerLab.models[widget] ?? Model;
  const model = new Kind(content, { ...JSON.parse(start), tries: JSON.parse(tries) }, compute);
  const place = el.querySelector(".tl-home") ?? el;
  const address = location.href.split("#")[0];
  render({ model, el: place, more: assets && more, link: (fragment) => `${address}#${el.id}:${fragment}` });
  window.transformerLab.mounted.set(el, { model });
  follow(el);
}

const addressed = () => location.hash.slice(1).split(":");
/** Move the controls of a widget to where the address says, if it names this one. */
function follow(el) {
  const [id, text] = addressed();
  const model = el?.id === id && window.transformerLab.mounted.get(el)?.model;
  if (!model || !text) return;
  for (const [name, value] of new URLSearchParams(text.replaceAll(",", "&"))) {
    const stop = offered(model.get("stops")[name], value);
    if (stop !== undefined) model.set(name, stop);
  }
  model.save_changes();
}
function offered(offer, value) {
  if (Array.isArray(offer)) return offer.find((stop) => String(stop) === value);
  if (offer?.features) return edits(offer, value.split(","));
  if (offer?.heads) return (value.match(/\d+,\d+/g) ?? []).map((head) => head.split(",").map(Number));
  if (offer?.characters) return value;
  const number = Number(value);
  return number >= offer?.low && number <= offer?.high ? number : undefined;
}
/** Read changes of numbers: word, feature and number, one after the other. */
function edits({ words, features, low, high }, parts) {
  const found = [];
  while (parts.length > 2) {
    const [word, feature, number] = parts.splice(0, 3);
    if (words.includes(word) && features.includes(feature) && number >= low && number <= high)
      found.push([word, feature, Number(number)]);
  }
  return found;
}
function approach() {
  const [id, text] = addressed();
  const el = document.getElementById(id);
  if (text) el?.scrollIntoView();
  follow(el);
}

function begin() {
  function arrive(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      mount(target).catch((error) => {
        const textContent = `${error}. Reload this page.`;
        const said = { className: "tl-trouble", role: "alert", textContent };
        target.prepend(Object.assign(document.createElement("p"), said));
        throw error;
      });
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
}

// On a page that is one file every widget brings all of this.
if (!window.transformerLab) {
  window.transformerLab = {
    Model,
    widgets: {},
    models: {},
    mounted: new Map(),
    baked(widget, content) {
      data[widget] = unpack(content);
    },
  };
  document.addEventListener("DOMContentLoaded", begin);
}
