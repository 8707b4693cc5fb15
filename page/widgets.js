/** Widgets on a page without a kernel: the host, and what the scripts of all widgets have from it. */
import "../widgets/host.js";
import * as controls from "../widgets/controls.js";
import * as kit from "../widgets/kit.js";
import * as pictures from "../widgets/pictures.js";

window.transformerLab.shared = {
  "./controls.js": controls,
  "./kit.js": kit,
  "./pictures.js": pictures,
  // These come when they are wanted, and fill what stands here.
  "./byte_pairs.js": {},
  "./charts.js": {},
  "./edits.js": {},
  "./plane.js": {},
  "./player.js": {},
  "./silencing.js": {},
  "./typing.js": {},
  "./walk_map.js": {},
  "./writing.js": {},
};
