/**
 * What a reader has done is kept in the browser: the answer of each exercise, and which checks hold. Other
 * pages of the same origin may write there too, so it is looked at before it is used.
 */
const PROGRESS = "progress";
const QUESTIONS = "questions";
/** After how many days a question comes back: later each time that the answer is right (Leitner, 1972). */
const DAYS = [1, 3, 7, 21, 60];
const DAY = 86_400_000; // ms
const SAVE = "Save your work as a notebook: what is new is gone when you leave.";
const FORBIDDEN = `This browser does not let the page keep anything. ${SAVE}`;
const FULL = `This browser has no more room for this site. ${SAVE}`;

export const isText = (value) => typeof value === "string";
/** @returns {one is Chosen} */
const isChosen = (one) =>
  isText(one?.chosen) && one.chosen.length < 1000 && typeof one.right === "boolean" && one.box in DAYS && one.due > 0;

export class Kept {
  /** @type {Storage | undefined} */
  #storage;
  /** What the browser did not take: here as long as the page is open. */
  #refused = new Map();
  #chapters;
  #form;

  /**
   * @param {() => Storage} open browsers that forbid it raise
   * @param {Chapters} chapters
   * @param {string} course under whose name all is kept: other courses may lie on the same site
   */
  constructor(open, chapters, course) {
    this.#chapters = chapters;
    this.#form = `${course}/1/`; // another form gets another number, and reads what this one kept
    try {
      this.#storage = open() ?? undefined;
    } catch {} // then it is forbidden
  }

  /** Why work is gone when the page is left; "" if it is not. */
  get trouble() {
    if (!this.#storage) return FORBIDDEN;
    return this.isAtRisk ? FULL : "";
  }
  get isAtRisk() {
    return this.#refused.size > 0;
  }

  /** @param {string} name @returns {any} */
  #read(name) {
    try {
      return JSON.parse(this.#refused.get(name) ?? this.#storage?.getItem(this.#form + name) ?? "null");
    } catch {
      return null;
    }
  }
  /** @param {string} name @param {object} value */
  #write(name, value) {
    const text = JSON.stringify(value);
    this.#refused.set(name, text);
    try {
      if (!this.#storage) return;
      this.#storage.setItem(this.#form + name, text);
      this.#refused.delete(name);
    } catch {} // then it is full
  }
  /** @param {string} name */
  #remove(name) {
    this.#refused.delete(name);
    this.#storage?.removeItem(this.#form + name);
  }
  get #names() {
    const all = Array.from({ length: this.#storage?.length ?? 0 }, (_, n) => this.#storage?.key(n) ?? "");
    const ours = all.filter((key) => key.startsWith(this.#form)).map((key) => key.slice(this.#form.length));
    return [...new Set([...ours, ...this.#refused.keys()])];
  }

  /** Name the exercises of a chapter whose answers are kept, those of older editions too. @param {string} chapter */
  answered(chapter) {
    return this.#names.filter((name) => name.startsWith(`${chapter}-`) && this.answer(name)).sort();
  }

  /**
   * The answer to an exercise, the stub that it was written for, and the answers that it replaced.
   * @param {string} exercise
   * @returns {KeptAnswer | undefined}
   */
  answer(exercise) {
    const { code, given, before, right } = this.#read(exercise) ?? {};
    if (!isText(code) || !isText(given)) return undefined;
    return { code, given, before: [before ?? []].flat().filter(isText), right: [right].find(isText) };
  }

  /**
   * Keep an answer as it is now. What is kept already stays among the earlier ones if it isn't `known`: then
   * another page has written it, or the browser was late, and the reader has never seen it here. Perhaps it was
   * found `right` as it was run.
   */
  keep(exercise, code, given, known = this.answer(exercise)?.code, right = this.answer(exercise)?.right) {
    const old = this.answer(exercise);
    const unseen = old && ![known, code, given].includes(old.code) ? [old.code] : [];
    this.#put(exercise, { code, given, right, before: [...new Set([...(old?.before ?? []), ...unseen])] });
  }

  /** Replace an answer by another. The old one is kept besides, and so is what is `shown`, which may differ. */
  replace(exercise, code, given, shown = given) {
    const old = this.answer(exercise);
    const before = new Set([...(old?.before ?? []), old?.code ?? given, shown]);
    this.#put(exercise, { ...old, code, given, before: [...before].filter((text) => text !== code && text !== given) });
  }

  /** @param {string} exercise @param {KeptAnswer} answer */
  #put(exercise, answer) {
    if (answer.code === answer.given && !answer.before.length) this.#remove(exercise);
    else this.#write(exercise, answer);
  }

  /** Which checks hold, as `progress.json` says it. @returns {Told["held"]} */
  held() {
    return this.#known(this.#read(PROGRESS));
  }
  /** Store which checks hold; what is no check of the book's is left out. @param {object} held */
  hold(held) {
    this.#write(PROGRESS, { ...this.held(), ...this.#known(held) });
  }
  /** Store that no check of an exercise holds. @param {string} exercise */
  fails(exercise) {
    const checks = Object.values(this.#chapters).flatMap((exercises) => exercises[exercise] ?? []);
    this.hold(Object.fromEntries(checks.map((check) => [check, false])));
  }

  /**
   * What was answered to questions, by their names. One's own mistakes are among them, as answers that were wrong:
   * by exercise and name, such as "attention-softmax: the exponential overflows".
   * @returns {{ [question: string]: Chosen }}
   */
  answers() {
    const read = Object.entries(this.#read(QUESTIONS) ?? {});
    return Object.fromEntries(read.filter(([name, one]) => name.length < 300 && isChosen(one)));
  }
  /**
   * Store an answer. A question that is answered rightly comes back later each time, another one tomorrow.
   * @param {string} question @param {string} chosen "" for one that is not known @param {boolean} right
   */
  choose(question, chosen, right, now = Date.now()) {
    const before = this.answers()[question]?.box ?? 0;
    const box = right ? Math.min(before + 1, DAYS.length - 1) : 0;
    this.#write(QUESTIONS, { ...this.answers(), [question]: { chosen, right, box, due: now + DAYS[box] * DAY } });
  }
  /** Merge answers from a file: of two to one question, the later due is kept. @param {object | undefined} brought */
  bring(brought) {
    const mine = this.answers();
    const theirs = Object.entries(brought ?? {}).filter(([, one]) => isChosen(one));
    const later = theirs.filter(([name, one]) => !(mine[name]?.due > one.due));
    if (later.length) this.#write(QUESTIONS, { ...mine, ...Object.fromEntries(later) });
  }
  /** What `progress.json` says: which checks hold, and what was answered to questions. */
  taken() {
    const questions = this.answers();
    const all = Object.keys(questions).length ? { ...this.held(), questions } : this.held();
    return `${JSON.stringify(all, null, 1)}\n`;
  }

  /** Those of the book, and of hunts, of which this page may know others. */
  #known(held) {
    const ours = Object.values(this.#chapters).flatMap((exercises) => Object.values(exercises).flat());
    const isOurs = (check) => ours.includes(check) || check.startsWith("hunt-");
    const noted = Object.keys(held ?? {}).filter(isOurs);
    return Object.fromEntries(noted.map((check) => [check, held[check] === true]));
  }

  /** How far the exercises of a chapter are, by their names. @param {string} chapter */
  states(chapter) {
    const held = this.held();
    const state = ([exercise, checks]) => {
      if (checks.every((check) => held[check])) return "done";
      const { code, given } = this.answer(exercise) ?? {};
      return code !== given || checks.some((check) => held[check]) ? "begun" : "new";
    };
    const exercises = Object.entries(this.#chapters[chapter] ?? {});
    return Object.fromEntries(exercises.map((each) => [each[0], /** @type {Standing} */ (state(each))]));
  }

  /** Forget what was done of a chapter. @param {string} chapter */
  clear(chapter) {
    const gone = Object.values(this.#chapters[chapter] ?? {}).flat();
    const held = Object.entries(this.held()).filter(([check]) => !gone.includes(check));
    for (const name of this.#names) if (name.startsWith(`${chapter}-`)) this.#remove(name);
    if (held.length) this.#write(PROGRESS, Object.fromEntries(held));
    else this.#remove(PROGRESS);
  }
}
