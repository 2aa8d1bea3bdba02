"use strict";
// Instructions of one origin light up together, and what was merged has several.
const light = (keys, on) => {
  for (const key of keys.split(" ")) {
    for (const r of document.querySelectorAll('[data-key~="' + CSS.escape(key) + '"]')) r.classList.toggle("hot", on);
  }
};
// work makes what is below root work.
const work = root => {
  for (const e of root.querySelectorAll("[data-key]")) {
    for (const [name, on] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]]) e.addEventListener(name, () => light(e.dataset.key, on));
  }
  // A listing is one stop of the tabulator; in it, arrows go from row to row.
  for (const list of root.querySelectorAll(".listing")) {
    const rows = [...list.querySelectorAll("tr[data-key]")];
    rows.forEach((row, i) => {
      row.tabIndex = i ? -1 : 0;
      row.addEventListener("keydown", e => {
        const to = {ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: rows.length - 1}[e.key];
        if (to === undefined || !rows[to]) return;
        e.preventDefault();
        row.tabIndex = -1;
        rows[to].tabIndex = 0;
        rows[to].focus();
      });
    });
  }
  // The programs after so many passes, or rewrites: edits of what they were before.
  for (const box of root.querySelectorAll(".history")) {
    const h = JSON.parse(box.querySelector("script").textContent), revisions = h.revisions;
    const [run, step] = box.querySelectorAll("input"), said = box.querySelector("output"), shown = box.querySelectorAll("pre");
    const last = revisions.map((r, i) => i + 1 < revisions.length && revisions[i + 1].run === r.run ? 0 : i + 1).filter(n => n); // of each pass
    const show = n => {
      const programs = h.start.map(p => p.map(line => [line, false]));
      revisions.slice(0, n).forEach((r, i) => {
        for (const e of r.edits || []) programs[e.program].splice(e.at, e.removed, ...e.lines.map(line => [line, i === n - 1]));
      });
      programs.forEach((p, i) => {
        shown[i].replaceChildren(...p.map(([line, fresh]) => {
          const to = document.createElement(fresh ? "mark" : "span");
          to.textContent = h.lines[line] + "\n";
          return to;
        }));
      });
      const r = revisions[n - 1], costs = r ? r.costs : h.costs;
      const what = r ? n + " of " + revisions.length + ": " + r.remark.pass + ": " + r.remark.message + (r.remark.line ? ", line " + r.remark.line : "") : "before the first rewrite";
      said.textContent = what + "; " + costs.map((c, i) => c + " " + h.counts[i]).join(", ");
      step.value = n;
      run.value = last.filter(end => end <= n).length;
      step.setAttribute("aria-valuetext", what);
      run.setAttribute("aria-valuetext", r ? (last.includes(n) ? "after " : "in ") + r.remark.pass : "before the first pass");
    };
    run.max = last.length;
    run.addEventListener("input", () => show(+run.value ? last[run.value - 1] : 0));
    step.addEventListener("input", () => show(+step.value));
    for (const button of box.querySelectorAll("td button")) button.addEventListener("click", () => { show(+button.textContent); step.focus(); });
    box.querySelector(".steps").hidden = false;
    show(revisions.length);
  }
};
// A click on a heading sorts the index by it, another one the other way round.
document.querySelectorAll("#index th button").forEach((button, column) => {
  let up = false;
  button.addEventListener("click", () => {
    up = !up;
    const body = document.querySelector("#index tbody"), text = row => row.cells[column].textContent;
    const rows = [...body.rows].sort((a, b) => (text(a).localeCompare(text(b), "en", {numeric: true}) || 0) * (up ? 1 : -1));
    if (column > 3) rows.sort((a, b) => ((parseFloat(text(a)) || 0) - (parseFloat(text(b)) || 0)) * (up ? 1 : -1));
    body.append(...rows);
    for (const th of document.querySelectorAll("#index th")) th.removeAttribute("aria-sort");
    button.parentNode.setAttribute("aria-sort", up ? "ascending" : "descending");
  });
});
// Of several inputs what is shown is packed. All of it is unpacked, so that it can be searched and
// printed: one after the other, what is opened before the rest.
const unpack = async box => {
  const bytes = Uint8Array.from(atob(box.querySelector("script").textContent), c => c.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const part = document.createRange().createContextualFragment(text);
  work(part);
  box.replaceWith(part);
};
const unpacked = (async () => {
  for (let box; (box = document.querySelector("[open] > .packed") || document.querySelector(".packed")); ) await unpack(box);
})();
work(document);
// What is folded is printed, too.
addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details:not([open])")) { d.open = true; d.dataset.folded = ""; } });
addEventListener("afterprint", () => { for (const d of document.querySelectorAll("details[data-folded]")) { d.open = false; delete d.dataset.folded; } });
const open = () => { const to = document.getElementById(location.hash.slice(1)); if (to && to.tagName === "DETAILS") to.open = true; };
addEventListener("hashchange", open);
open();
