/**
 * The scaling explorer. A frame holds, not divided and divided (`names`): how often each score occurs
 * (halves), the weights of some queries (shares), and averages over all queries.
 */
const { h, chart, shares, halves, number } = widgetKit;
const KEYS = [...Array(10).keys()], SCORES = [...Array(61).keys()].map((i) => 2 * i - 60);
const MEASURES = { spread: "spread of the scores", largest: "largest weight", entropy: "entropy of the weights", response: "response of the weights", deaf: "deaf queries (%)" };

export default widgetKit.widget("scaling_explorer", (ui) => {
  const hills = chart(), bars = chart(), table = h("table", { class: "tl-effects" });
  const note = h("p", {}, "Entropy is 2.30 when all ten weights are equal. The response is the norm of ∂weights/∂scores; below 0.01 a query is deaf.");
  let drawn;

  function draw(frame) {
    const query = ui.model.get("query"), weights = shares(frame.weights), often = halves(frame.often);
    const series = (values) => frame.names.map((name, i) => ({ name, y: values(i) }));
    const each = (name, values) => frame.names.map((kind, i) => `${kind}, ${name} ${number(values[i])}`).join("; ");
    const row = (head, cells) => h("tr", {}, h("th", {}, head), ...cells.map((cell) => h("td", {}, cell)));
    drawn = [{ label: `How often a score occurs: ${each("they spread by", frame.spread)}`, x: SCORES, xLabel: "score", yLabel: "how often", series: series((i) => often.slice(61 * i, 61 * i + 61)) },
      { label: `Weights of query ${query}`, x: KEYS.map((key) => key + 1), xLabel: `key, asked by query ${query}`, yLabel: "weight", bars: true, series: series((i) => weights.slice(80 * i + 10 * query - 10, 80 * i + 10 * query)) }];
    [hills, bars].forEach((picture, i) => picture.draw({ low: 0, high: 1, ...drawn[i] }));
    table.replaceChildren(row("over 2,000 queries", frame.names),
      ...Object.entries(MEASURES).map(([name, words]) => row(words, frame[name].map(number))));
    return `d_k ${frame.d_k}: ${each("entropy", frame.entropy)}; ${each("response", frame.response)}.`;
  }

  function numbers(frame) {
    const pictures = drawn.map(({ label, xLabel, x, series }) => ({ caption: label, columns: [xLabel, ...x], rows: series.map(({ name, y }) => [name, ...y]) }));
    return [{ caption: "Averages over 2,000 queries", columns: ["", ...frame.names], rows: Object.entries(MEASURES).map(([name, words]) => [words, ...frame[name]]) }, ...pictures];
  }

  return { main: [hills.element, bars.element], side: [table, note], draw, numbers };
});
