/**
 * Load a script, once.
 * @param {string} src
 * @returns {Promise<unknown>}
 */
function loadScript(src) {
  const script = document.createElement("script");
  const came = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${src} did not come. Is there a network?`));
    document.head.append(Object.assign(script, { src }));
  });
  return came.finally(() => script.remove()); // its text need not stay
}
