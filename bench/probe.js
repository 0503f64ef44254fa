// Runs in every measured page. Takes the time from an event to the frame in which its effect is on
// screen, all by the page's own clock, so that no message to the test driver is part of it.

(() => {
  const QUIET_MS = 150; // without script, message and any change in the page for so long: it is over
  const LIMIT_MS = 6000;
  const DRAWS = 100; // bytes; shorter messages say that a script began or ended, and draw nothing
  const wire = { bytes: 0, last: 0, arrivals: [], sent: [] };

  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...options) {
      super(...options);
      this.addEventListener("message", ({ data }) => {
        const size = data.byteLength ?? data.size ?? data.length;
        wire.bytes += size;
        wire.last = performance.now();
        if (size >= DRAWS) wire.arrivals.push(wire.last);
      });
    }
    send(data) {
      wire.sent.push(performance.now());
      super.send(data);
    }
  };

  // ---- what can be watched: each reader gives a text that changes when the screen does --------

  const all = (scope, selector) => [...document.querySelectorAll(scope)]
    .flatMap((part) => [...part.querySelectorAll(selector)]);
  const shadows = (scope) => all(scope, "div").map((one) => one.shadowRoot).filter(Boolean);
  const inShadows = (scope, selector) => shadows(scope)
    .flatMap((root) => [...root.querySelectorAll(selector)]);

  const READERS = {
    text: (scope) => [...document.querySelectorAll(scope)].map((one) => one.textContent).join("|"),
    images: (scope) => all(scope, ".heatmaplayer image").map((one) => one.getAttribute("href")).join(),
    lines: (scope) => all(scope, ".scatterlayer path, .shapelayer path").map((one) => one.getAttribute("d")).join(),
    cells: (scope) => inShadows(scope, "[role=grid]").map((grid) => grid.getAttribute("aria-label")
      + [...grid.querySelectorAll("[role=gridcell]")].map((cell) => cell.dataset.v).join()).join("|"),
    product: (scope) => inShadows(scope, "[role=grid]:last-of-type").slice(-1)
      .map((grid) => [...grid.querySelectorAll("[role=gridcell]")].map((cell) => cell.dataset.v)
        .join()).join(),
    labels: (scope) => inShadows(scope, "[role=rowheader]").map((one) => one.textContent).join("|"),
    ring: (scope) => inShadows(scope, ".ring").map((one) => (one.hidden ? "" : one.style.transform))
      .join(),
  };
  const read = (watch) => watch.map(([reader, scope]) => READERS[reader](scope)).join("\n");

  // ---- measuring -------------------------------------------------------------------------------

  // A message that is posted in a frame's callback is handled after that frame is drawn.
  const afterPaint = (callback) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => callback(performance.now());
    channel.port2.postMessage(null);
  };
  const idle = () => document.querySelector('[data-testid="stApp"]')
    ?.getAttribute("data-test-script-state") === "notRunning";

  // Waits for one event, then follows every watch to its last change.
  function measure(eventType, watches) {
    const follow = Object.entries(watches)
      .map(([name, watch]) => ({ name, watch, text: read(watch), first: null, last: null }));
    const seen = new Set();
    let start = null, dirty = false, quiet = performance.now();

    const observer = new MutationObserver(() => { dirty = true; });
    const observe = () => {
      for (const root of [document, ...shadows("body")]) {
        if (seen.has(root)) continue;
        seen.add(root);
        observer.observe(root, {
          subtree: true, childList: true, characterData: true, attributes: true,
        });
      }
    };
    observe();
    Object.assign(wire, { bytes: 0, last: 0, arrivals: [], sent: [] });

    const look = () => {
      dirty = false;
      quiet = performance.now();
      observe();
      for (const one of follow) {
        const text = read(one.watch);
        if (text === one.text) continue;
        one.text = text;
        if (start === null) continue;
        afterPaint((now) => {
          one.first ??= now;
          one.last = now;
        });
      }
    };
    const begin = () => {
      start = quiet = performance.now();
      window.removeEventListener(eventType, begin, true);
    };
    window.addEventListener(eventType, begin, true);

    return new Promise((resolve) => {
      const began = performance.now();
      const step = () => {
        if (dirty) look();
        const now = performance.now();
        const over = start !== null && idle()
          && now - Math.max(quiet, wire.last) > QUIET_MS
          && follow.every((one) => one.last !== null);
        if (!over && now - began < LIMIT_MS) return void requestAnimationFrame(step);
        observer.disconnect();
        window.removeEventListener(eventType, begin, true);
        resolve({
          bytes: wire.bytes,
          paints: Object.fromEntries(follow.map(({ name, first, last }) => [name, last && {
            first: first - start,
            last: last - start,
            sent: (wire.sent.find((at) => at >= start) ?? last) - start,
            arrived: (wire.arrivals.findLast((at) => at >= start && at <= last) ?? start) - start,
          }])),
        });
      };
      requestAnimationFrame(step);
    });
  }

  // Notes the wall clock at which the first heatmap is on screen.
  function awaitFigure() {
    if (document.querySelector(".heatmaplayer image")) {
      afterPaint((now) => { window.latencyProbe.figureAt = performance.timeOrigin + now; });
    } else requestAnimationFrame(awaitFigure);
  }

  window.latencyProbe = {
    idle,
    read,
    arm: (eventType, watches) => { window.latencyProbe.result = measure(eventType, watches); },
    awaitFigure,
    figureAt: null,
  };
})();
