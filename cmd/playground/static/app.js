"use strict";
// A link contains the state of the page: the files, with their bytes in base64, and the options.
const $ = (id) => document.getElementById(id);
const choices = ["Pipeline", "Target", "Numerics", "HostConstants"];
let files = [], presets = [], running = null, last = 0, taken = null;

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const base64 = (bytes) => {
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text);
};
// textOf returns the text of a file, or null if it is not UTF-8 text.
const textOf = (data) => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(data));
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
};

// libraries maps a language to the promise of its compiled library, once it was requested. All workers of a
// language share it, and with it the browser's optimized code. workers maps a language to its worker.
const libraries = {}, workers = {};

// guess returns the probable language of files. The library reports it if this is wrong.
const guess = (list) => (list.length === 1 && /^\s*il_\w/m.test(textOf(list[0].Data) ?? "") ? "kernels" : "d3d9");

async function load(language) {
  const response = await fetch(language + ".bin");
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  const code = response.body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(code, { headers: { "Content-Type": "application/wasm" } }));
}

// start starts a worker for a language.
function start(language) {
  const w = (workers[language] = new Worker("worker.js"));
  w.onmessage = ({ data }) => {
    if (w !== workers[language]) return;
    if (data.failed) lost(language, data.failed);
    else if (data.ready) {
      w.loaded = true;
      if (running?.language === language) send();
    } else if (data.id !== running?.id) return;
    else if (data.response.other) ask(data.response.other);
    else answer(data.response);
  };
  w.onerror = (e) => w === workers[language] && lost(language, e.message ?? "worker.js cannot be loaded");
  (libraries[language] ??= load(language)).then((library) => w.postMessage({ library }), (e) => {
    delete libraries[language];
    if (w === workers[language]) lost(language, String(e));
  });
}

// warm runs the Direct3D 9 examples once in a spare worker, while the user reads an answer. A browser
// optimizes each function of a library, for all workers, after the function has run often enough. So the next
// run of the user is fast. (A kernel runs long enough by itself.) A new run does not wait: it ends the spare
// worker (cool), and the remaining examples run after its answer.
let spare = null, rest = null;
function warm() {
  rest ??= presets.filter((p) => guess(p.files) === "d3d9");
  if (!rest.length) return;
  const w = (spare = new Worker("worker.js"));
  w.onmessage = ({ data }) => {
    if (w !== spare) return;
    if (data.response) rest.shift();
    if (rest.length && !data.failed) w.postMessage({ request: requestOf(rest[0]) });
    else cool();
  };
  w.onerror = () => w === spare && cool();
  libraries.d3d9.then((library) => w.postMessage({ library }));
}
function cool() {
  spare?.terminate();
  spare = null;
}

// lost handles a worker that has failed or could not start. The next run starts another one.
function lost(language, why) {
  workers[language].terminate();
  delete workers[language];
  if (running?.language === language) answer({ error: why });
  else idle(why, true);
}

function idle(text, wrong) {
  $("run").disabled = false;
  $("cancel").disabled = true;
  say(text, wrong);
}

function say(text, wrong = false) {
  $("status").textContent = text;
  $("status").className = wrong ? "error" : "";
}

const state = () => ({ files, options: { ...Object.fromEntries(choices.map((c) => [c, $(c).value])), Keep: $("Keep").checked } });

function show(s) {
  files = s.files.map((f) => ({ ...f }));
  for (const c of choices) $(c).value = s.options?.[c] ?? "";
  $("Keep").checked = !!s.options?.Keep;
  list();
}

function list() {
  $("list").replaceChildren(...files.map((f) => {
    const box = document.createElement("label"), text = textOf(f.Data);
    box.className = "file";
    box.append(f.Name);
    if (text === null) {
      const note = document.createElement("em");
      note.textContent = bytesOf(f.Data).length + " bytes";
      box.append(note);
      return box;
    }
    const area = document.createElement("textarea");
    area.value = text;
    area.spellcheck = false;
    box.style.flexGrow = text.split("\n").length; // a longer file gets more space
    area.oninput = () => (f.Data = base64(new TextEncoder().encode(area.value)));
    box.append(area);
    return box;
  }));
}

const requestOf = ({ files, options }) => JSON.stringify({ Files: files, Options: options ?? {} });

// optimize runs the library, and returns a promise of its answer.
function optimize() {
  if (running) return running.done;
  cool();
  running = { id: ++last, begun: performance.now(), request: requestOf(state()) };
  running.done = new Promise((done) => (running.settle = done));
  const { done } = running;
  $("run").disabled = true;
  $("cancel").disabled = false;
  say("optimizing");
  ask(guess(files));
  return done;
}

// ask sends the running request to the library of a language, once that is loaded.
function ask(language) {
  running.language = language;
  if (!workers[language]) start(language);
  else if (workers[language].loaded) send();
}

function send() {
  workers[running.language].postMessage({ id: running.id, request: running.request });
}

function answer(response) {
  const { settle, begun, language } = running;
  running = null;
  const time = Math.round(performance.now() - begun);
  $("saved").hidden = !response.files;
  if (response.error !== undefined) {
    idle(response.error, true);
    $("report").srcdoc = "";
  } else {
    idle(`${response.status} in ${time} ms`);
    $("report").srcdoc = response.html;
    $("saved").replaceChildren("Download ", ...response.files.flatMap((f) => {
      const a = document.createElement("a");
      a.download = f.Name;
      a.href = URL.createObjectURL(new Blob([bytesOf(f.Data)]));
      a.textContent = f.Name;
      return [a, " "];
    }));
  }
  settle(response);
  if (response.error === undefined && language === "d3d9") warm();
}

// cancel ends the worker of the running request, and starts another one.
function cancel() {
  if (!running) return;
  const { language } = running;
  lost(language, "cancelled");
  start(language);
}

async function piped(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
async function linkOf(s) {
  const packed = await piped(new TextEncoder().encode(JSON.stringify(s)), new CompressionStream("deflate-raw"));
  return base64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
async function linked(hash) {
  const bytes = await piped(bytesOf(hash.replaceAll("-", "+").replaceAll("_", "/")), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
}

// take makes the opened or dropped files the input, vertex programs first.
async function take(dropped) {
  const opened = [];
  for (const f of dropped) opened.push({ Name: f.name, Data: base64(new Uint8Array(await f.arrayBuffer())) });
  const vertex = (f) => /^\s*(\/\/.*\s*)*vs_/.test(textOf(f.Data) ?? "") || bytesOf(f.Data)[2] === 0xfe;
  show({ files: opened.sort((a, b) => vertex(b) - vertex(a)), options: state().options });
  return optimize();
}

async function open() {
  if (location.hash.length < 2) (libraries.d3d9 = load("d3d9")).catch(() => {}); // needed by the first preset; start reports a failure
  presets = await (await fetch("presets.json")).json();
  $("preset").replaceChildren(...presets.map((p, i) => new Option(p.name, i)));
  $("preset").onchange = () => { show(presets[$("preset").value]); optimize(); };
  $("run").onclick = optimize;
  $("cancel").onclick = cancel;
  $("link").onclick = async () => {
    location.hash = await linkOf(state());
    await navigator.clipboard?.writeText(location.href).then(() => say("copied"), () => say("the link is in the address"));
  };
  $("files").onchange = () => take($("files").files);
  $("input").ondragover = (e) => { e.preventDefault(); $("input").className = "over"; };
  $("input").ondragleave = () => ($("input").className = "");
  $("input").ondrop = (e) => { e.preventDefault(); $("input").className = ""; taken = take(e.dataTransfer.files); };
  let begin = presets[0];
  if (location.hash.length > 1) {
    try {
      begin = await linked(location.hash.slice(1));
    } catch (e) {
      say("the link is damaged", true);
    }
  }
  show(begin);
  return optimize();
}

// keep stores the page for offline use. If that fails, sw.js sends the reason, sometimes only after the browser
// has given up.
async function keep() {
  const next = (await navigator.serviceWorker.register("sw.js")).installing;
  if (next) await new Promise((done, fail) => {
    navigator.serviceWorker.onmessage = ({ data }) => fail(new Error(data));
    next.onstatechange = () => {
      if (next.state === "activated") done();
      else if (next.state === "redundant") setTimeout(fail, 1000, new Error("the browser gives no reason"));
    };
  });
}

const opened = open();
opened.catch((e) => say(String(e), true));
// A page opened from a file has no service worker, and needs none.
const kept = navigator.serviceWorker ? opened.then(keep) : Promise.resolve();
kept.catch((e) => ($("kept").textContent = "not available offline: " + e.message));
