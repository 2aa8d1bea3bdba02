"use strict";
// What the page does with a keyboard, and when it is printed.
(async () => {
  const done = answer => fetch("/seen", {method: "POST", body: JSON.stringify(answer)});
  let doing = "drawing";
  const beat = () => fetch("/at?" + doing).catch(() => {});
  setInterval(beat, 1000);
  try {
    const answer = {};
    await new Promise(r => document.readyState === "complete" ? r() : addEventListener("load", r));
    await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); // it has been drawn
    answer.drawn = performance.now();
    doing = "unpacking";
    await unpacked;
    answer.packed = document.querySelectorAll(".packed").length;
    answer.rows = document.querySelectorAll("tr[class]").length;
    const press = (e, key) => e.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    const rows = document.querySelectorAll(".listing tr[data-key]");
    if (rows.length > 1) {
      rows[0].focus();
      press(rows[0], "ArrowDown");
      answer.row = [...rows].indexOf(document.activeElement);
      answer.lit = rows[1].classList.contains("hot") && !rows[0].classList.contains("hot");
    }
    const [run, step] = document.querySelectorAll(".history input"), texts = () => [...document.querySelectorAll(".history pre")].map(p => p.textContent);
    if (step) {
      const to = (input, value) => { input.value = value; input.dispatchEvent(new Event("input")); };
      to(step, 0);
      answer.first = texts();
      to(run, run.max);
      answer.last = texts();
      answer.said = document.querySelector(".history output").textContent;
    }
    dispatchEvent(new Event("beforeprint"));
    answer.folded = document.querySelectorAll("details:not([open])").length;
    done(answer);
  } catch (e) {
    done({failed: String(e.stack || e)});
  }
})();
