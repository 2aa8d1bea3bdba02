// The worker holds the library of one language, its name. It answers one request at a time; to cancel
// it is to end it.
importScripts("wasm_exec.js");
self.shaderliftReady = () => postMessage({ ready: true });
const go = new Go();
const load = async () => {
  const response = await fetch(self.name + ".bin");
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  const code = new Response(response.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
  const module = await WebAssembly.instantiateStreaming(code, go.importObject);
  await go.run(module.instance);
  throw new Error("the library ended");
};
load().catch((e) => postMessage({ failed: String(e) }));
onmessage = ({ data }) => self.shaderlift(data.request, (text) => postMessage({ id: data.id, response: JSON.parse(text) }));
