/** The worker that trains, where a learner's own parts stand in the model: it comes for them alone. */
import { openOwn } from "./replay.js";
import { OWN } from "./training.js";
import "./worker.js";

OWN.open = openOwn;
