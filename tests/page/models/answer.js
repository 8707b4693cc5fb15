/**
 * Run by Node: let the models of the page read packed files, and answer what is asked on standard input.
 * usage: node answer.js FOLDER MODULES   (where packed files and the modules lie)
 */
// @ts-nocheck: the types of Node are not installed
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, modules] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${modules}/${name}.js`).href);
const { openShakespeare } = await load("gpt");
const { openMiniLM } = await load("minilm");
const { openTranslator } = await load("translator");

async function read(name) {
  const { buffer, byteOffset, byteLength } = readFileSync(`${folder}/${name}`);
  return buffer.slice(byteOffset, byteOffset + byteLength);
}
const [gpt, minilm, translator] = await Promise.all([openShakespeare, openMiniLM, openTranslator].map((f) => f(read)));
const models = { gpt, minilm, translator };
const { show } = await load("show");
const { openBytePairs, openUnigram, openWordPiece } = await load("pieces");
const { computed } = await load("gpt_walk");
const { softmax } = await load("arithmetic");
const { openLinear } = await load("linear");
const lists = (arrays) => arrays.map((array) => [...array]);

const ANSWERS = {
  async linear({ products }) {
    const answers = [];
    for (const { x, shape, values, scales, bias } of products) {
      const W = { shape, values: Int8Array.from(values), scales: Float32Array.from(scales) };
      const b = { shape: [shape[0]], values: Float32Array.from(bias), scales: new Float32Array() };
      try {
        const { weights, linear } = await openLinear(await read("linear.wasm"), { W, b });
        const given = Float32Array.from(x);
        answers.push(lists([linear(given, weights.W, weights.b), linear(given, weights.W)]));
      } catch (error) {
        answers.push(error.message);
      }
    }
    return answers;
  },
  tokens: ({ model, texts }) => texts.map((text) => (model === "minilm" ? minilm : translator).encode(text)),
  async pieces({ model, texts }) {
    const tokenizer = await { MiniLM: openWordPiece, translator: openUnigram, SmolLM2: openBytePairs }[model](read);
    return texts.map((text) => show.tokenizer_lab(tokenizer, { text, model }));
  },
  text: ({ ids }) => ids.map(translator.decode),
  labels: ({ model, ids }) => ids.map((model === "minilm" ? minilm : translator).piece),
  async minilm({ texts, how }) {
    const answers = [];
    for (const text of texts) {
      const { vectors, weights } = await minilm.run(minilm.encode(text), how);
      answers.push({ vectors: [...vectors], weights: lists(weights), meaning: [...minilm.meaning(vectors)] });
    }
    return answers;
  },
  gpt: ({ texts, how }) =>
    texts.map((text) => {
      const { logits, weights } = gpt.look(gpt.encode(text).slice(-gpt.reads), how);
      return { logits: [...logits], weights: lists(weights) };
    }),
  /** What each step of a walk through the GPT computes, as a whole. */
  walk: ({ texts }) =>
    texts.map((text) => [...computed(gpt, gpt.encode(text))].map(([name, { values }]) => [name, [...values]])),
  translator: ({ texts, how }) =>
    texts.map((text) => {
      const { written, looks, weights } = translator.translate(translator.encode(text), how);
      return { written, looks: looks.map(lists), weights: lists(weights) };
    }),
  /** What each next token's probabilities are, where these were written so far. */
  bars({ text, written, how }) {
    const source = translator.readSource(translator.encode(text), how);
    let state;
    return [translator.start, ...written].map((last, position) => {
      const now = translator.step(source, [last], position, state);
      state = now.state;
      softmax(now.logits);
      return [...now.logits];
    });
  },
  async show({ model, widget, at, baked }) {
    const frames = [];
    for (const place of at) frames.push(await show[widget](models[model], place, baked));
    return frames;
  },
};

const asked = JSON.parse(readFileSync(0, "utf8"));
const plain = (_, value) => (value instanceof DataView ? [...new Uint8Array(value.buffer)] : value);
process.stdout.write(JSON.stringify(await ANSWERS[asked.what](asked), plain));
