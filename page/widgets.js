/** Widgets on a page without a kernel: the host, and what the scripts of all widgets have from it. */
import "../transformer_lab/widgets/host.js";
import * as controls from "../transformer_lab/widgets/controls.js";
import * as kit from "../transformer_lab/widgets/kit.js";
import * as pictures from "../transformer_lab/widgets/pictures.js";

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
