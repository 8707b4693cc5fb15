/**
 * Load a script, once.
 * @param {string} src
 * @returns {Promise<unknown>}
 */
function loadScript(src) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const onerror = () => {
      script.remove();
      reject(new Error(`${src} did not come. Is there a network?`));
    };
    document.head.append(Object.assign(script, { src, onload: resolve, onerror }));
  });
}
