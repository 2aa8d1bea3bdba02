// node node.js DIR: the answers to all presets, and to an input that is wrong, as JSON.
"use strict";
const fs = require("fs"), path = require("path"), zlib = require("zlib");
const dir = process.argv[2];
require(path.resolve(dir, "wasm_exec.js"));
const ask = (request) => new Promise((done) => globalThis.shaderlift(JSON.stringify(request), (text) => done(JSON.parse(text))));
globalThis.shaderliftReady = async () => {
  const answers = [];
  for (const p of JSON.parse(fs.readFileSync(path.join(dir, "presets.json")))) answers.push(await ask({ Files: p.files, Options: p.options ?? {} }));
  answers.push(await ask({ Files: [{ Name: "bad.psh", Data: Buffer.from("ps_2_0\nnonsense\n").toString("base64") }] }));
  answers.push(await ask({ Files: [], Options: { Numerics: "roughly" } }));
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
};
const go = new Go();
WebAssembly.instantiate(zlib.gunzipSync(fs.readFileSync(path.join(dir, "shaderlift.bin"))), go.importObject).then(({ instance }) => go.run(instance));
