/**
 * Time from the press on a slider to the frame that shows the new picture, in milliseconds.
 * Start: the time stamp of the pointerdown event. End: the first animation frame after the picture
 * has changed, which for an <img> means after its new source has been decoded.
 * @param {Element} picture what has to change: a grid of numbers, or what holds an <img>
 */
(picture) =>
  new Promise((resolve, reject) => {
    let start;
    const press = (event) => {
      start = event.timeStamp;
    };
    addEventListener("pointerdown", press, { capture: true, once: true });
    setTimeout(() => reject(new Error("half a minute, and no new picture")), 30_000);
    const image = () => picture.querySelector("img");
    const before = image()?.src;
    const changes = new MutationObserver(async () => {
      if (before !== undefined) {
        if ([undefined, before].includes(image()?.src)) return;
        try {
          await image()?.decode();
        } catch {
          return; // taken away meanwhile; another one follows
        }
      }
      changes.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - start));
    });
    const anything = { childList: true, characterData: true, subtree: true };
    changes.observe(picture, before === undefined ? anything : { ...anything, attributeFilter: ["src"] });
  });
