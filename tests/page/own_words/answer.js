/**
 * Run by Node: let the models of the page read packed files, and answer what is asked on standard input.
 * usage: node answer.js FOLDER MODULES   (where packed files and the modules lie)
 */
// @ts-nocheck: the types of Node are not installed
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, modules] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${modules}/${name}.js`).href);
const { openMiniLM } = await load("minilm");
const { openTranslator } = await load("translator");

async function read(name) {
  const { buffer, byteOffset, byteLength } = readFileSync(`${folder}/${name}`);
  return buffer.slice(byteOffset, byteOffset + byteLength);
}
const [minilm, translator] = await Promise.all([openMiniLM(read), openTranslator(read)]);
const { show } = await load("show");
const { softmax } = await load("arithmetic");
const lists = (arrays) => arrays.map((array) => [...array]);

const ANSWERS = {
  tokens: ({ model, texts }) => texts.map((text) => (model === "minilm" ? minilm : translator).encode(text)),
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
    for (const place of at) frames.push(await show[widget](model === "minilm" ? minilm : translator, place, baked));
    return frames;
  },
};

const asked = JSON.parse(readFileSync(0, "utf8"));
const plain = (_, value) => (value instanceof DataView ? [...new Uint8Array(value.buffer)] : value);
process.stdout.write(JSON.stringify(await ANSWERS[asked.what](asked), plain));
