// node node.js DIR prints the answers to all presets, and to two invalid inputs, as JSON. Each answer is from the
// library of the input's language, which the other library names.
"use strict";
const fs = require("fs"), path = require("path"), zlib = require("zlib");
const dir = process.argv[2];
require(path.resolve(dir, "wasm_exec.js"));
const load = (language) => new Promise((done, fail) => {
  globalThis.shaderliftReady = () => done(globalThis.shaderlift);
  const go = new Go();
  WebAssembly.instantiate(zlib.gunzipSync(fs.readFileSync(path.join(dir, language + ".bin"))), go.importObject).then(({ instance }) => go.run(instance)).catch(fail);
});
(async () => {
  const libraries = { d3d9: await load("d3d9"), kernels: await load("kernels") };
  const call = (language, request) => new Promise((done) => libraries[language](JSON.stringify(request), (text) => done(JSON.parse(text))));
  const ask = async (request) => {
    const answers = { d3d9: await call("d3d9", request), kernels: await call("kernels", request) };
    const language = answers.d3d9.other ?? answers.kernels.other ?? "d3d9";
    return { language, ...answers[language] };
  };
  const answers = [];
  for (const p of JSON.parse(fs.readFileSync(path.join(dir, "presets.json")))) answers.push(await ask({ Files: p.files, Options: p.options ?? {} }));
  answers.push(await ask({ Files: [{ Name: "bad.psh", Data: Buffer.from("ps_2_0\nnonsense\n").toString("base64") }] }));
  answers.push(await ask({ Files: [], Options: { Numerics: "roughly" } }));
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
})();
