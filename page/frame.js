/* Within a frame of its own: start the worker that the page sends, and give it the rest. */
addEventListener(
  "message",
  ({ data: { script, files }, ports }) => {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    worker.onerror = (error) => parent.postMessage({ failed: error.message }, "*");
    worker.postMessage(files, [...ports, ...Object.values(files)]);
  },
  { once: true },
);
