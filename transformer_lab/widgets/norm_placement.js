/**
 * Where the norm stands. A frame holds, for each wiring, every layer's `gradient` (from layer 1
 * on) and the size of the `stream` (from the input, 0, on).
 */
const { h, chart } = widgetKit;
const FIRST = { gradient: 1, stream: 0 }, WIRINGS = ["post-norm", "pre-norm"];

export default widgetKit.widget("norm_placement", (ui) => {
  const { model } = ui, picture = chart(), summary = h("p", { class: "tl-summary" });
  const most = Math.max(...model.get("stops").layers);

  function draw(frame) {
    const shown = model.get("shown"), { layers } = frame;
    const [post, pre] = frame[shown].map((values) => values.at(-1).toFixed(2));
    summary.textContent = (shown === "gradient" ? `The gradient in each layer, before training. In the last of ${layers} it is `
      : `The size of the stream after each layer; 0 is the input. After ${layers} layers it is `) + `${post} in post-norm and ${pre} in pre-norm.`;
    picture.draw({
      label: summary.textContent, xLabel: "layer", x: Array.from({ length: most + 1 }, (_, layer) => layer), low: 0, high: shown === "gradient" ? 1.2 : 6,
      series: WIRINGS.map((name, k) => ({ name, y: [...Array(FIRST[shown]).fill(NaN), ...frame[shown][k]] })), mark: layers,
    });
    return summary.textContent;
  }

  const numbers = (frame) => Object.entries(FIRST).map(([what, first]) => ({
    caption: `The ${what}, layer by layer`, columns: ["layer", ...WIRINGS],
    rows: frame[what][0].map((post, k) => [String(k + first), post, frame[what][1][k]]),
  }));

  return { side: [], main: [picture.element, summary], draw, numbers };
});
