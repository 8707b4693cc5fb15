/** What each widget shows of a model, by the widget's name. */
import { blockWalk } from "./block_walk.js";
import { logitLens } from "./logit_lens.js";
import { nextToken } from "./next_token.js";
import { oneHead } from "./one_head.js";
import { tokenizerLab } from "./pieces.js";
import { realHeads } from "./real_heads.js";

export const show = {
  block_walk: blockWalk,
  logit_lens: logitLens,
  next_token: nextToken,
  one_head: oneHead,
  real_heads: realHeads,
  tokenizer_lab: tokenizerLab,
};
