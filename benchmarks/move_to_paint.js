/**
 * Move a control to another of its values, and give the milliseconds until the picture is painted:
 * up to the first task after the next animation frame.
 * @param {Element} row the control: a slider, radio buttons, a switch or a list of sentences
 * @param {number} share from 0 to 1, which of the other values
 */
(row, share) => {
  const other = (count, now) => (now + 1 + Math.floor(share * (count - 1))) % count;

  /** @param {HTMLSelectElement} select */
  function choose(select) {
    const open = [...select.options].filter((option) => !option.disabled);
    select.selectedIndex = other(open.length, select.selectedIndex);
    return select;
  }
  /** @param {HTMLInputElement} slider */
  function slide(slider) {
    const [min, max, step] = [slider.min, slider.max, slider.step].map(Number);
    const count = Math.round((max - min) / step) + 1;
    slider.value = `${min + other(count, Math.round((Number(slider.value) - min) / step)) * step}`;
    return slider;
  }
  /** @param {HTMLInputElement[]} inputs radio buttons, or one switch */
  function check(inputs) {
    const now = inputs.findIndex((input) => input.checked);
    const input = inputs.length > 1 ? inputs[other(inputs.length, now)] : inputs[0];
    input.checked = !input.checked;
    return input;
  }
  function move() {
    const select = row.querySelector("select");
    /** @type {NodeListOf<HTMLInputElement>} */
    const inputs = row.querySelectorAll("input:not([type=text])");
    if (select) return choose(select);
    return inputs[0].type === "range" ? slide(inputs[0]) : check([...inputs]);
  }

  return new Promise((resolve) => {
    const moved = move();
    const start = performance.now();
    moved.dispatchEvent(new Event(moved.type === "range" ? "input" : "change", { bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
  });
};
