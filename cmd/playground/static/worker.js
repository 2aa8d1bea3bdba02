// The worker runs the library of one language, a module that the page sends first. It answers one request
// at a time. The page cancels a request by ending the worker.
importScripts("wasm_exec.js");
self.shaderliftReady = () => postMessage({ ready: true });
const run = async (library) => {
  const go = new Go();
  await go.run(await WebAssembly.instantiate(library, go.importObject));
  throw new Error("the library ended");
};
onmessage = ({ data }) => {
  if (data.library) run(data.library).catch((e) => postMessage({ failed: String(e) }));
  else self.shaderlift(data.request, (text) => postMessage({ id: data.id, response: JSON.parse(text) }));
};
