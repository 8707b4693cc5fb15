/** Widgets on a page without a kernel: the host, and what the scripts of all widgets have from it. */
import "../transformer_lab/widgets/host.js";
import * as charts from "../transformer_lab/widgets/charts.js";
import * as controls from "../transformer_lab/widgets/controls.js";
import * as kit from "../transformer_lab/widgets/kit.js";
import * as pictures from "../transformer_lab/widgets/pictures.js";
import * as silencing from "../transformer_lab/widgets/silencing.js";

window.transformerLab.shared = {
  "./charts.js": charts,
  "./controls.js": controls,
  "./kit.js": kit,
  "./pictures.js": pictures,
  "./silencing.js": silencing,
};
