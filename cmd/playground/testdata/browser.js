// A sequence of user actions; the results that the page shows are sent to the test.
(async () => {
  const seen = { presets: [], timing: [] };
  const post = (x) => fetch("/seen", { method: "POST", body: JSON.stringify(x) });
  let step = "loading";
  const beat = () => fetch("/at?" + encodeURIComponent(step)).catch(() => {});
  const at = (what) => { step = what; return beat(); };
  setInterval(beat, 1000);
  const shown = () => new Promise((done) => ($("report").onload = () => done()));
  try {
    seen.unloaded = (await opened).error; // the server did not have the library
    at("loaded");
    await optimize();
    at("not kept");
    seen.unkept = await kept.then(() => "", (e) => e.message);
    at("warm");
    const warmed = spare !== null, again = optimize();
    seen.cooled = warmed && spare === null; // a run of the user does not wait for the warm-up
    await again;
    while (spare) await new Promise((done) => setTimeout(done, 20));
    seen.left = rest.length;
    for (let i = 0; i < presets.length; i++) {
      $("preset").value = i;
      show(presets[i]);
      const begun = performance.now(), drawn = shown();
      at("preset " + i);
      const r = await optimize();
      seen.timing.push(performance.now() - begun);
      await drawn;
      seen.presets.push({ status: $("status").textContent, files: r.files, report: $("report").srcdoc.length });
    }
    const bad = new File(["ps_2_0\nnonsense\n"], "bad.psh"), good = new File(["ps_2_0\ndcl t0\nmul r0, t0, t0\nmov oC0, t0\n"], "good.psh");
    const drop = async (file) => {
      const data = new DataTransfer();
      data.items.add(file);
      $("input").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      return taken;
    };
    at("dropped");
    seen.dropped = (await drop(good)).status;
    at("another language than it looks like");
    seen.other = (await drop(new File(["/*\nil_ps_2_0\n*/\nps_2_0\ndcl t0\nmul r0, t0, t0\nmov oC0, t0\n"], "good.psh"))).status;
    at("broken");
    seen.broken = (await drop(bad)).error;
    seen.alert = $("status").className;
    $("status").querySelector("button").click(); // the diagnostic
    const marked = document.activeElement;
    seen.marked = marked.value?.slice(marked.selectionStart, marked.selectionEnd);
    seen.numbers = marked.previousElementSibling?.textContent;
    at("edited");
    const questions = [];
    let agree = true;
    window.confirm = (text) => (questions.push(text), agree);
    const press = (i, name) => $("list").children[i].querySelector("." + name).click();
    const type = (i, text) => {
      const area = $("list").children[i].querySelector("textarea");
      area.value = text;
      area.dispatchEvent(new Event("input"));
    };
    const pick = (i) => { $("preset").value = i; $("preset").dispatchEvent(new Event("change")); return running?.done; };
    const boxes = () => files.map((f) => f.Name + ":" + textOf(f.Data).length).join(" ");
    seen.boxes = [];
    const see = (what) => seen.boxes.push(`${what} ${boxes()}${$("add").disabled ? "" : " add"}${$("swap").disabled ? "" : " swap"} ${$("preset").value} ${questions.length}`);
    await pick(0);
    see("example");
    press(1, "clear");
    see("clear");
    press(0, "remove");
    see("remove");
    type(0, "ps_2_0\n");
    $("add").click();
    see("add");
    type(0, "vs_2_0\ndcl_position v0\nmov oPos, v0\n");
    type(1, "ps_2_0\nmov oC0, c0\n");
    $("swap").click();
    see("swap");
    seen.swapped = (await optimize()).error;
    $("swap").click();
    seen.pair = (await optimize()).status;
    agree = false;
    press(1, "clear");
    see("refused clear");
    await pick(1);
    see("refused");
    await drop(good);
    see("refused files");
    agree = true;
    await pick(1);
    see("agreed");
    at("reason");
    show({ files: [{ Name: "kill.psh", Data: btoa("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nadd r0, r0, -c0\ntexkill r0\nmov oC0, r0\n") }, { Name: "empty", Data: "" }] });
    $("list").querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }));
    seen.lines = (await running.done).lines;
    seen.shown = $("status").textContent;
    at("cancelled");
    show(presets[presets.length - 2]);
    const cut = optimize();
    cancel();
    seen.cancelled = (await cut).error;
    at("ended");
    const lost = optimize();
    workers.kernels.dispatchEvent(new ErrorEvent("error", { message: "the end" }));
    seen.ended = (await lost).error;
    at("again");
    show(presets[0]);
    seen.again = (await optimize()).status;
    at("link");
    const link = await linkOf(state());
    seen.link = JSON.stringify(await linked(link)) === JSON.stringify(state());
    seen.length = link.length;
    at("kept");
    await keep();
    at("offline");
    await fetch("/offline"); // from now on the server serves only this test
    seen.offline = await new Promise((done, fail) => {
      const page = document.createElement("iframe");
      page.style = "width: 500px; height: 1000px"; // a narrow window
      page.onload = async () => {
        const w = page.contentWindow;
        try {
          w.eval("opened").then((r) => {
            seen.tall = Math.round((100 * w.document.getElementById("report").clientHeight) / w.innerHeight);
            done(r.status ?? r.error);
          }, fail);
        } catch (e) { fail(e); }
      };
      page.src = "./";
      document.body.append(page);
    });
    await post(seen);
  } catch (e) {
    await post({ failed: String(e.stack ?? e) });
  }
})();
