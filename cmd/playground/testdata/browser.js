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
