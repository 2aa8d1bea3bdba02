"use strict";
// The state of the page is what a link holds: files, whose bytes are base64, and options.
const $ = (id) => document.getElementById(id);
const choices = ["Pipeline", "Target", "Numerics", "HostConstants"];
let files = [], presets = [], running = null, last = 0, taken = null;

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const base64 = (bytes) => {
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text);
};
// textOf is what a file says, null if it is no text.
const textOf = (data) => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(data));
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
};

// libraries are promises of the programs by language, once they have been asked for. Workers of a language
// share one, and with it what the browser makes of it; workers are those that answer.
const libraries = {}, workers = {};

// guess is the language of files, which the library tells if it is another one.
const guess = (list) => (list.length === 1 && /^\s*il_\w/m.test(textOf(list[0].Data) ?? "") ? "kernels" : "d3d9");

async function load(language) {
  const response = await fetch(language + ".bin");
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  const code = response.body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(code, { headers: { "Content-Type": "application/wasm" } }));
}

// start has a worker for a language.
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

// warm has another worker, the spare one, run the examples of Direct3D 9 once, while an answer is looked
// at. A browser compiles a library for speed function by function, once these have run often enough, for
// all its workers: what the user runs next finds that done. (Kernels run long enough for it.) A run that comes
// meanwhile does not wait: it ends the spare worker (cool), and the rest follows its answer.
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

// lost is that a worker answers nothing any more, nor ever did; the next run loads another one.
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
    box.style.flexGrow = text.split("\n").length; // the longer one has more room
    area.oninput = () => (f.Data = base64(new TextEncoder().encode(area.value)));
    box.append(area);
    return box;
  }));
}

const requestOf = ({ files, options }) => JSON.stringify({ Files: files, Options: options ?? {} });

// optimize runs the library; the promise is that of its answer.
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

// ask has the library of a language answer what is running, once it is there.
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

// cancel ends the worker, whatever it is at, and loads another one.
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

// take makes the input of what was opened or dropped, vertex programs first.
async function take(dropped) {
  const opened = [];
  for (const f of dropped) opened.push({ Name: f.name, Data: base64(new Uint8Array(await f.arrayBuffer())) });
  const vertex = (f) => /^\s*(\/\/.*\s*)*vs_/.test(textOf(f.Data) ?? "") || bytesOf(f.Data)[2] === 0xfe;
  show({ files: opened.sort((a, b) => vertex(b) - vertex(a)), options: state().options });
  return optimize();
}

async function open() {
  if (location.hash.length < 2) (libraries.d3d9 = load("d3d9")).catch(() => {}); // of the first preset, without waiting for it; start tells what fails
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

// keep has the page there without a network from now on. Why it cannot be tells sw.js, at times
// only once the browser has given it up.
async function keep() {
  const next = (await navigator.serviceWorker.register("sw.js")).installing;
  if (next) await new Promise((done, fail) => {
    navigator.serviceWorker.onmessage = ({ data }) => fail(new Error(data));
    next.onstatechange = () => {
      if (next.state === "activated") done();
      else if (next.state === "redundant") setTimeout(fail, 1000, new Error("the browser does not say why"));
    };
  });
}

const opened = open();
opened.catch((e) => say(String(e), true));
// Of a file opened from a disk nothing can be kept, nor needs to be.
const kept = navigator.serviceWorker ? opened.then(keep) : Promise.resolve();
kept.catch((e) => ($("kept").textContent = "not kept for use without a network: " + e.message));
