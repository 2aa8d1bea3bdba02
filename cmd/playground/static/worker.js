// The worker holds the library. It answers one request at a time; to cancel it is to end it.
importScripts("wasm_exec.js");
self.shaderliftReady = () => postMessage({ ready: true });
const go = new Go();
const load = async () => {
  const response = await fetch("shaderlift.wasm");
  const module = await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
  go.run(module.instance);
};
load().catch((e) => postMessage({ failed: String(e) }));
onmessage = ({ data }) => self.shaderlift(data.request, (text) => postMessage({ id: data.id, response: JSON.parse(text) }));
