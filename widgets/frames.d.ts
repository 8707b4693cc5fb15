// What each widget's frame holds, for `make lint`. No page loads this file. A DataView has the
// numbers that the kernel has packed: `shares`, `halves` or bytes say how they are read.

/** Arrows end to end from a start; if somebody's, they say where the word was and is. */
type Plane = () => {
  element: SVGElement;
  draw(of: {
    words: string[];
    /** What the head gives; of all words, what they are; and which of them asks. */
    gives: string[];
    features: string[];
    x: number[][];
    i: number;
    /** What it collects of each. */
    steps: number[][];
    /** Whether that moves it, and whether it does so now, to be seen. */
    moves: boolean;
    isNew: boolean;
  }): void;
};

interface WalkStep {
  /** The name of the module in the part, or of what is no module. */
  operation: string;
  /** The part of the model, and the name of the operation in it. */
  part: string;
  name: string;
  does: string;
  /** The line of code, and where it stands. */
  code: string;
  where: string;
  shape: string;
  /** Which of the numbers are shown; {} stands for the chosen head, where there are heads. */
  shown: string;
  rows: string[];
  columns: string[];
  scale: number;
  /** The number of the layer whose heads can be silenced here, through encoder and decoder. */
  layer: number | null;
  /** How many such pictures of numbers there are: one for each head, or 1. */
  heads: number;
}
interface WalkFrame {
  steps: WalkStep[];
  /** Halves, of all steps and all their heads, end to end. */
  values: DataView;
  /** The translation, or what comes next: as the model is changed, and as it is. */
  outcome: string[];
  model: string;
  silent: number[][];
  order: boolean;
}

/** Draw the operations of a part, and mark what the present step reads. */
type WalkMap = (
  steps: WalkStep[],
  part: string,
  at: number,
  button: (value: number, name: string, label: string) => HTMLElement,
) => HTMLElement[];

interface SplitWay {
  code: string;
  /** Head by head, row by row: which number stands there. */
  places: number[];
  /** After attention and after W_O: for each number, the share of each word. */
  heard: number[][][];
}
interface SplitFrame {
  heads: number;
  facts: string;
  /** The shape and the meaning of each step. */
  steps: [string, string][];
  ways: SplitWay[];
}

interface MaskFrame {
  queries: string[];
  keys: string[];
  kind: string;
  fill: string;
  /** Why each pair is hidden: a byte of reasons, 0 if it is not. */
  hidden: DataView;
  /** For each pair, a byte: which of these sentences says why it is hidden, or not. */
  because: DataView;
  reasons: string[];
  /** What comes of the hidden keys of each row, and whether rows add up to 1. */
  ends: string[];
  state: string;
  /** A byte: whether the output of the row moves if the word of the column is changed. */
  moves: DataView;
  /** Halves. A weight may be NaN. */
  scores: DataView;
  weights: DataView;
}

interface TokenFrame {
  /** What was written before; of the GPT, as a text. */
  tokens: string[];
  text: string;
  /** Texts, with the names of what may come next, and the node that each leads to. */
  nodes: { text: string; names: string[]; next: (number | null)[] }[];
  /** Halves, of all nodes, below the best. */
  logits: DataView;
  /** For each node, the probability of all tokens that are not named. */
  others: number[];
  /** What the translator or the GPT reads, and where it looks (shares): for each node, of all layers and heads. */
  source: string[];
  looks: DataView;
  layers: number;
  heads: number;
  silent: number[][];
  model: string;
  /** What other ways to choose write. */
  rivals: { name: string; text: string; log: string }[];
}

interface NormFrame {
  norm: string;
  tokens: string[];
  gamma: number;
  beta: number;
  before: number[][];
  after: number[][];
  /** What LayerNorm gives, where `after` comes from a function of the learner's. */
  right?: number[][];
  /** Of what was averaged: each token's features or, in BatchNorm, each feature's tokens. */
  mean: number[];
  root: number[];
}

interface PlacementFrame {
  /** For each wiring, the loss at the end, by layers and rates. */
  final: number[][];
  /** Halves, for each wiring, layers and rates: the loss in the course of the training. */
  curves: DataView;
}

interface ScalingRunsFrame {
  /** By width and steps: the loss on the text that was learned, and on held-out plays. */
  losses: number[][][];
  /** How long the text is. */
  characters: number;
}

interface ClocksFrame {
  position: number;
  apart: number;
  /** Of each position, the angles of its hands in radians. */
  angles: number[][];
}

interface ArrowsFrame {
  before: number;
  distance: number;
  /** Turned: two numbers for each pair of features. */
  query: number[];
  key: number[];
  products: number[];
}

interface LensFrame {
  /** The characters that are read. */
  read: string[];
  /** How many there are: the embedding, and each layer. */
  depths: number;
  /** For each depth and position, the five likeliest next characters. */
  names: string[];
  /** Halves: their probabilities. */
  shares: DataView;
  /** A neuron of the last layer; and halves, how strongly it fires at each position, or nothing. */
  neuron: number;
  fires: DataView;
}

interface TokenizerFrame {
  text: string;
  by: string;
  merges: number;
  /** The real model as which the text is cut, or "none". */
  model: string;
  pieces: string[];
  /** -1 for a character that has none. */
  ids: number[];
  /** How many tokens there are, without a merge and after each; of a real model this is not counted. */
  lengths: number[];
}

interface PositionFrame {
  kind: string;
  /** What the table is, and what the curves are. */
  what: string;
  sees: string;
  columns: number;
  /** Halves, in 64 rows; for rotary nothing, because its curve says all. */
  table: DataView;
  /** The length of each pair's wave, if it is known. */
  waves: number[];
  /** Halves, over distances from -63 to 63. */
  curves: DataView;
  names: string[];
  /** In each of the two sentences. */
  weights: number[][][];
}

interface OneHeadFrame {
  pieces: string[];
  /** Halves, a row for each query. */
  weights: DataView;
}

interface HeadsFrame {
  model: string;
  queries: string[];
  keys: string[];
  layers: number;
  heads: number;
  /** How many blocks of layers stand side by side on the wall. */
  banks: number;
  /** Shares, as one picture: the weights of all heads, a line after each. */
  wall: DataView;
  places: string[];
  /** Shares: what each head gives to the places. */
  habits: DataView;
  /** How alike two sentences are, or a translation: as it is changed, and as the model is. */
  outcome: string[];
  silent: number[][];
  second: string[];
  order: boolean;
}

interface ScalingFrame {
  d_k: number;
  /** Not divided, and divided; all that follows is for both. */
  names: string[];
  /** Halves: how often each score occurs. */
  often: DataView;
  /** Shares, of some queries. */
  weights: DataView;
  /** Averages over all queries. */
  spread: number[];
  largest: number[];
  entropy: number[];
  response: number[];
  saturated: number[];
}

interface DictionaryFrame {
  fruit: number;
  furniture: number;
  scores: number[];
  weights: number[];
  answer: number;
  /** With a learner's softmax, the query for which a page has the answer. */
  own?: number[];
}

interface PlaybackFrame {
  step: number;
  /** The letters to be written, and the model's guess for each. */
  letters: string[];
  guesses: string[];
  /** Shares, of all heads. */
  weights: DataView;
}

interface LadderFrame {
  rung: string;
  /** Lines of code, each after "+", "-" or " ": new, gone, as below. */
  lines: [string, string][];
  /** What the model writes at the end. */
  text: string;
}

interface WritingFrame {
  way: string;
  step: number;
  /** The text, cut: every second piece is a word that stands in the plays. */
  pieces: string[];
  /** The share of the text's words that do. */
  known: number;
}
