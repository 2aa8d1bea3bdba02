"use strict";
// A link contains the state of the page: the files, with their bytes in base64, and the options.
const $ = (id) => document.getElementById(id);
const choices = ["Pipeline", "Target", "Numerics", "HostConstants"];
let files = [], original = [], presets = [], chosen = "", running = null, last = 0, taken = null;

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

// say shows a text of some lines. A diagnostic of a line is a button that goes there.
function say(text, wrong = false) {
  const lines = text.split("\n"), most = 50;
  $("status").replaceChildren(...lines.slice(0, most).map((line) => {
    const place = placeOf(line);
    if (!place) return line + "\n";
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = line;
    b.onclick = () => jump(...place);
    return b;
  }), lines.length > most ? `and ${lines.length - most} more` : "");
  $("status").className = wrong ? "error" : "";
}

// placeOf returns the index of the box and the line with which a diagnostic begins.
function placeOf(text) {
  for (const [i, f] of files.entries()) {
    const line = text.startsWith(f.Name + ":") && parseInt(text.slice(f.Name.length + 1));
    if (line && textOf(f.Data) !== null) return [i, line];
  }
}

// jump selects a line in a box.
function jump(i, line) {
  const area = $("list").children[i]?.querySelector("textarea"), lines = area?.value.split("\n");
  if (!area) return;
  const from = Math.min(lines.slice(0, line - 1).join("\n").length + (line > 1), area.value.length);
  area.focus();
  area.setSelectionRange(from, from + (lines[line - 1] ?? "").length);
  area.scrollTop = (line - 0.5) * parseFloat(getComputedStyle(area).lineHeight) - area.clientHeight / 2;
}

const state = () => ({ files, options: { ...Object.fromEntries(choices.map((c) => [c, $(c).value])), Keep: $("Keep").checked } });

function show(s, preset = "") {
  files = s.files.map((f) => ({ ...f }));
  original = files.map((f) => f.Data);
  $("preset").value = chosen = preset;
  for (const c of choices) $(c).value = s.options?.[c] ?? "";
  $("Keep").checked = !!s.options?.Keep;
  list();
}

// mayDiscard asks before edited programs of a list are lost.
const mayDiscard = (list) => list.every((f) => !f.Data || original.includes(f.Data)) || confirm("Discard your changes?");

// edited shows that the programs are no longer those of the example, which can be chosen again.
const edited = () => ($("preset").value = chosen = "");

function list() {
  $("list").replaceChildren(...files.map(boxOf));
  $("add").disabled = files.length > 1;
  $("swap").disabled = files.length !== 2;
}

// change shows other files after an edit, and puts the focus on the text of one.
function change(list_, i) {
  files = list_;
  edited();
  list();
  $("list").children[i]?.querySelector("textarea")?.focus();
}

// boxOf returns the box of a file: its name, and its text with numbers of lines, or its size.
function boxOf(f, i) {
  const box = $("box").content.firstElementChild.cloneNode(true), text = textOf(f.Data);
  const [name, clear, remove, numbers, area] = box.querySelectorAll("input, button, pre, textarea");
  const label = () => {
    box.ariaLabel = f.Name;
    area.ariaLabel = "Text of " + f.Name;
  };
  const count = () => {
    const n = area.value.split("\n").length;
    numbers.textContent = Array.from({ length: n }, (_, i) => i + 1).join("\n");
  };
  name.value = f.Name;
  name.oninput = () => { f.Name = name.value; label(); };
  clear.onclick = () => mayDiscard([f]) && change(files.with(i, { ...f, Data: "" }), i);
  remove.onclick = () => mayDiscard([f]) && change(files.toSpliced(i, 1), 0);
  remove.disabled = files.length < 2;
  label();
  if (text === null) {
    numbers.parentNode.replaceChildren(bytesOf(f.Data).length + " bytes");
    return box;
  }
  area.value = text;
  area.oninput = () => { f.Data = base64(new TextEncoder().encode(area.value)); edited(); count(); };
  area.onscroll = () => (numbers.scrollTop = area.scrollTop);
  count();
  box.style.flexGrow = text.split("\n").length; // a longer file gets more space
  return box;
}

const isVertex = (f) => /^\s*(\/\/.*\s*)*vs_/.test(textOf(f.Data) ?? "") || bytesOf(f.Data)[2] === 0xfe;

// requestOf returns the request for the programs of a state. Empty boxes do not count.
const requestOf = ({ files, options }) => JSON.stringify({ Files: files.filter((f) => f.Data), Options: options ?? {} });

// add adds a box for the program that a pair lacks. A vertex program comes first.
function add() {
  const pixel = files.some(isVertex), name = pixel ? "pixel.psh" : "vertex.vsh", f = { Name: name, Data: "" };
  change(pixel ? [...files, f] : [f, ...files], pixel ? files.length : 0);
}

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
  ask(guess(files.filter((f) => f.Data)));
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
  const time = performance.now() - begun;
  $("saved").hidden = !response.files;
  if (response.error !== undefined) {
    idle(response.error.replaceAll("<options>: ", ""), true);
    $("report").srcdoc = "";
  } else {
    idle(`${response.lines.join("\n")}\n${(time / 1000).toFixed(1)} s`);
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
async function take(list) {
  if (!list.length || !mayDiscard(files)) return;
  const opened = [];
  for (const f of list) opened.push({ Name: f.name, Data: base64(new Uint8Array(await f.arrayBuffer())) });
  show({ files: opened.sort((a, b) => isVertex(b) - isVertex(a)), options: state().options });
  return optimize();
}

// choose shows an example.
function choose() {
  const i = $("preset").value;
  if (!mayDiscard(files)) $("preset").value = chosen;
  else if (i !== "") {
    show(presets[i], i);
    return optimize();
  }
}

async function open() {
  if (location.hash.length < 2) (libraries.d3d9 = load("d3d9")).catch(() => {}); // needed by the first preset; start reports a failure
  presets = await (await fetch("presets.json")).json();
  const own = new Option("your programs", "");
  own.hidden = true;
  $("preset").replaceChildren(own, ...presets.map((p, i) => new Option(p.name, i)));
  $("preset").onchange = choose;
  $("run").onclick = () => optimize().then(() => $("output").scrollIntoView({ block: "nearest" }));
  $("list").onkeydown = (e) => e.key === "Enter" && (e.ctrlKey || e.metaKey) && $("run").click();
  $("add").onclick = add;
  $("swap").onclick = () => change(files.toReversed(), 0);
  $("cancel").onclick = cancel;
  $("link").onclick = async () => {
    location.hash = await linkOf(state());
    await navigator.clipboard?.writeText(location.href).then(() => say("copied"), () => say("the link is in the address"));
  };
  $("files").onchange = () => { taken = take([...$("files").files]); $("files").value = ""; };
  $("input").ondragover = (e) => { e.preventDefault(); $("input").className = "over"; };
  $("input").ondragleave = () => ($("input").className = "");
  $("input").ondrop = (e) => { e.preventDefault(); $("input").className = ""; taken = take([...e.dataTransfer.files]); };
  let begin = presets[0], preset = "0";
  if (location.hash.length > 1) {
    try {
      begin = await linked(location.hash.slice(1));
      preset = "";
    } catch (e) {
      say("the link is damaged", true);
    }
  }
  show(begin, preset);
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
