"use strict";
// The state of the page is what a link holds: files, whose bytes are base64, and options.
const $ = (id) => document.getElementById(id);
const choices = ["Pipeline", "Target", "Numerics", "HostConstants"];
let files = [], presets = [], worker, ready, running = null, last = 0, taken = null;

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

function start() {
  worker = new Worker("worker.js");
  ready = new Promise((done, fail) => {
    worker.onmessage = ({ data }) => {
      if (data.ready) done();
      else if (data.failed) fail(new Error(data.failed));
      else if (running && data.id === running.id) answer(data.response);
    };
    worker.onerror = (e) => {
      fail(new Error(e.message));
      if (running) answer({ error: "the library ended: " + e.message });
    };
  });
  ready.then(() => running || say("ready"), (e) => say("cannot be loaded: " + e.message, true));
  ready.then(() => ($("run").disabled = false), () => {});
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
    area.oninput = () => (f.Data = base64(new TextEncoder().encode(area.value)));
    box.append(area);
    return box;
  }));
}

// optimize runs the library; the promise is that of its answer.
function optimize() {
  if (running) return running.done;
  const id = ++last;
  let settle;
  running = { id, begun: performance.now(), done: new Promise((done) => (settle = done)) };
  running.settle = settle;
  const done = running.done;
  $("run").disabled = true;
  $("cancel").disabled = false;
  say("optimizing");
  const s = state();
  ready.then(() => {
    if (running?.id === id) worker.postMessage({ id, request: JSON.stringify({ Files: s.files, Options: s.options }) });
  }, () => {});
  return done;
}

function answer(response) {
  const { settle, begun } = running;
  running = null;
  $("run").disabled = false;
  $("cancel").disabled = true;
  const time = Math.round(performance.now() - begun);
  $("saved").hidden = !response.files;
  if (response.error !== undefined) {
    say(response.error, true);
    $("report").srcdoc = "";
  } else {
    say(`${response.status} in ${time} ms`);
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
}

// cancel ends the worker, whatever it is at, and loads another one.
function cancel() {
  if (!running) return;
  worker.terminate();
  answer({ error: "cancelled" });
  $("run").disabled = true;
  start();
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
  start();
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
const opened = open();
// Where that can be had (not of a file opened from a disk), the page is there without a network from now on.
opened.then(() => navigator.serviceWorker?.register("sw.js")).catch(() => {});
