/**
 * Time from the press on a slider to the frame that shows the new picture, in milliseconds.
 * Start: the time stamp of the pointerdown event. End: the first animation frame after the picture
 * has changed, which for an <img> means after its new source has been decoded.
 * @param {Element} picture what has to change: a grid of numbers, or what holds an <img>
 */
(picture) => new Promise((resolve) => {
  let start;
  addEventListener("pointerdown", (event) => { start = event.timeStamp; }, { capture: true, once: true });
  const source = () => picture.querySelector("img")?.src;
  const isImage = source() !== undefined, before = source();
  const changes = new MutationObserver(async () => {
    if (isImage && [undefined, before].includes(source())) return;
    changes.disconnect();
    if (isImage) await picture.querySelector("img").decode();
    requestAnimationFrame(() => resolve(performance.now() - start));
  });
  const anything = { childList: true, characterData: true, subtree: true };
  changes.observe(picture, isImage ? { ...anything, attributeFilter: ["src"] } : anything);
})
