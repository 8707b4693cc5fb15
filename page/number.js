/** Read a number as people write them: 1,000 and 0,5, 1/4 and 25%. @param {string} text */
export function numberIn(text) {
  const plain = text.replace("−", "-").replace(/\s/g, "");
  const read = /^([^/%]+)(?:\/([^/%]+))?(%?)$/.exec(plain);
  if (!read) return Number.NaN;
  const [whole, part] = [read[1], read[2] ?? "1"].map((one) =>
    Number(/^-?[1-9]\d{0,2}(,\d{3})+(\.|$)/.test(one) ? one.replaceAll(",", "") : one.replace(",", ".")),
  );
  return whole / part / (read[3] ? 100 : 1);
}
