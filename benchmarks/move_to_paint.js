/**
 * Move a control to another of its values, and give the milliseconds until the picture is painted:
 * up to the first task after the next animation frame.
 * @param {Element} row the control: a slider, radio buttons, a switch or a list of sentences
 * @param {number} share from 0 to 1, which of the other values
 */
(row, share) => new Promise((resolve) => {
  const other = (count, now) => (now + 1 + Math.floor(share * (count - 1))) % count;
  const all = [...row.querySelectorAll("input:not([type=text]), select")];
  let input = all[0];
  if (input.type === "range") {
    const { min, max, step } = input, count = Math.round((max - min) / step) + 1;
    const now = Math.round((input.value - min) / step);
    input.value = Number(min) + other(count, now) * step;
  } else if (input.type === "radio") {
    input = all[other(all.length, all.findIndex((radio) => radio.checked))];
    input.checked = true;
  } else if (input.type === "checkbox") {
    input.checked = !input.checked;
  } else {
    const open = [...input.options].filter((option) => !option.disabled);
    input.selectedIndex = other(open.length, input.selectedIndex);
  }
  const start = performance.now();
  input.dispatchEvent(new Event(input.type === "range" ? "input" : "change", { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
})
