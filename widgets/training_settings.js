/** What a reader can set before a training, as words that also stand in a link, and what they make of a model. */

/** @import { Config } from "../page/train/gpt.js" */
/** @import { Plan } from "../page/train/training.js" */

/**
 * @typedef {object} Settings
 * @property {string} text which one
 * @property {string} size one of SIZES, or "" for what this machine is proposed
 * @property {number} steps 0 for as many as fit the size
 * @property {number} seed
 * @property {string} rung one of RUNGS
 * @property {string[]} without of BREAKS
 */

/** Characters: of a shorter text a tenth has no passage. */
export const SHORTEST = 1000;
const WARM_UP = 50;
const HEADS = 3;
/** Widths whose heads and hidden widths are multiples of 8, and how each is trained best. */
export const SIZES = {
  "24x2": { width: 24, layers: 2, steps: 2000, peak: 2e-2 },
  "48x2": { width: 48, layers: 2, steps: 1500, peak: 1e-2 },
  "96x3": { width: 96, layers: 3, steps: 800, peak: 4e-3 },
};
/** How much a step costs by size, in steps of the one that is timed. */
export const TIMED = "48x2";
const COST = { "24x2": 0.45, "48x2": 1, "96x3": 4.5 };
const PATIENCE = 30_000; // milliseconds within which there are words to read
export const STEPS = [200, 400, 800, 1200, 1500, 2000, 3000, 4000, 6000];

const BARE = { residuals: false, norms: false, layers: 1 };
const UNORDERED = { ...BARE, positions: false, feedForward: false };
/** The ladder: each rung has what those before it have, and one thing more. The last is gpt.py. */
export const RUNGS = {
  bigram: { ...UNORDERED, layers: 0 },
  average: { ...UNORDERED, average: true },
  "one head": { ...UNORDERED, heads: 1 },
  "several heads": UNORDERED,
  "rotary positions": { ...BARE, feedForward: false },
  "feed-forward": BARE,
  "residuals and norm": { layers: 1 },
  layers: {},
};
export const WHOLE = "layers";
/** What can be taken out of a model. */
export const BREAKS = {
  positions: { positions: false },
  residuals: { residuals: false },
  mask: { mask: false },
  heads: { heads: 1 },
  "warm-up": {},
};

/** Return which parts a rung has that can be taken out. @param {string} rung */
export function breakable(rung) {
  const { layers = 2, positions = true, residuals = true, heads = HEADS, average = false } = { ...RUNGS[rung] };
  const there = { positions, residuals, mask: layers > 0, heads: layers > 0 && heads > 1 && !average, "warm-up": true };
  return Object.keys(BREAKS).filter((name) => there[name]);
}

/**
 * Return what is to be trained.
 * @param {Settings} settings whose size is chosen
 * @returns {{ config: Omit<Config, "symbols">, plan: Plan }}
 */
export function planned({ size, steps, rung, without }) {
  const { width, layers, steps: usual, peak } = SIZES[size];
  const out = breakable(rung).filter((name) => without.includes(name));
  const changes = Object.assign({}, RUNGS[rung], ...out.map((name) => BREAKS[name]));
  const plan = { steps: steps || usual, peak, warmUp: out.includes("warm-up") ? 0 : WARM_UP };
  return { config: { width, layers, heads: HEADS, ...changes }, plan };
}

/** Return what comes after a training that has ended: the same again, by smaller steps. @param {Plan} plan */
export const again = ({ steps, peak }) => ({ steps, peak: peak / 4, warmUp: WARM_UP });

/**
 * Return about how many milliseconds a training takes.
 * @param {string} size
 * @param {number} steps
 * @param {number} ms of a step of TIMED
 */
export const duration = (size, steps, ms) => COST[size] * ms * (steps || SIZES[size].steps);

/** Return the largest size that is soon trained, or the smallest. @param {number} ms of a step of TIMED */
export function proposed(ms) {
  const fitting = Object.keys(SIZES).filter((size) => duration(size, 0, ms) <= PATIENCE);
  return fitting.at(-1) ?? Object.keys(SIZES)[0];
}

/** What a training is called, beside its curve. @param {Settings} settings */
export function named({ text, rung, size, without }) {
  const lacking = breakable(rung).filter((name) => without.includes(name));
  const what = rung === WHOLE ? (lacking.length ? "" : "whole") : rung;
  return {
    what: [what, ...lacking.map((name) => (name === "heads" ? "one head" : `no ${name}`))].filter(Boolean).join(", "),
    size: size.replace("x", " × "),
    text,
  };
}

/** @type {Settings} */
export const USUAL = { text: "play", size: "", steps: 0, seed: 0, rung: WHOLE, without: [] };

/** Write the settings that are not usual as words of a link, without a text of one's own. @param {Settings} settings */
export function linked(settings) {
  const words = Object.entries(settings).filter(([name, value]) => `${value}` !== `${USUAL[name]}` && value !== "own");
  return words.map(([name, value]) => `${name}=${`${value}`.replaceAll(/[ ,]/g, "+")}`).join(",");
}

/** Read the words of a link; what cannot be chosen is as usual. @param {string} words @returns {Settings} */
export function read(words) {
  const said = Object.fromEntries(new URLSearchParams(words.replaceAll(",", "&")));
  const whole = (name, most) => (/^\d{1,9}$/.test(said[name]) ? Math.min(Number(said[name]), most) : USUAL[name]);
  const one = (name, offered) => (offered.includes(said[name]) ? said[name] : USUAL[name]);
  return {
    text: one("text", ["play", "plays"]),
    size: one("size", Object.keys(SIZES)),
    steps: whole("steps", STEPS[STEPS.length - 1]),
    seed: whole("seed", 999_999),
    rung: one("rung", Object.keys(RUNGS)),
    without: (said.without ?? "").split(" ").filter((name) => name in BREAKS),
  };
}
