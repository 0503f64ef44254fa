// Draws two arrows or a row of bars whose tips are dragged, and sends their numbers to
// component.py. Python owns the truth: what arrives replaces what is shown, except while a tip is
// held or Python cannot have seen the newest move yet.

const GAP_MS = 100; // at most ten messages a second
const FLIGHT_MS = 1500; // a message that is not answered by then no longer holds back the next
const MOVES = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  PageUp: [0, 10], PageDown: [0, -10],
};

const pen = document.createElement("canvas").getContext("2d");

class View {
  constructor(host) {
    const shadow = host.getRootNode();
    shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, styles];
    this.client = Math.random().toString(36).slice(2) + Date.now().toString(36);
    this.turn = this.seq = this.sent = this.flight = this.last = this.width = 0;
    this.own = null; // numbers that Python has not taken yet, with their number
    this.held = null; // the tip under the pointer, and how far from its middle it was taken
    this.root = document.createElement("div");
    this.root.className = "drag";
    host.append(this.root);
    this.svg = svg("svg", "", this.root);
    this.observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (!width || width === this.width) return;
      this.width = width;
      this.frame = requestAnimationFrame(() => this.draw()); // not inside the observer: it would loop
    });
    this.observer.observe(this.root);
  }

  destroy() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.data = null;
    this.root.remove();
  }

  update({ data, setStateValue }) {
    this.emit = setStateValue;
    this.data = data;
    const { hues = {}, grey = false } = data.look || {};
    this.root.classList.toggle("look", Boolean(data.look));
    this.root.classList.toggle("grey", grey);
    for (const name of ["positive", "negative", "weights"]) {
      if (hues[name]) this.root.style.setProperty(`--${name}`, hues[name].join(" "));
      else this.root.style.removeProperty(`--${name}`);
    }
    const about = JSON.stringify([data.form, data.labels, data.limit]);
    if (about !== this.about) { // another plane or row: what was moved on the old one is over
      this.about = about;
      this.own = this.held = null;
      this.form = new { arrows: Arrows, bars: Bars }[data.form](this);
    }
    const taken = data.ack.client === this.client ? data.ack.seq : 0;
    if (taken >= this.flight) this.flight = 0;
    if (this.own && taken >= this.own.seq) this.own = null;
    if (!this.own && !this.held) this.values = data.values; // no echo moves a tip that is on its way
    this.width ||= Math.floor(this.root.clientWidth);
    this.draw();
    this.post();
    return ++this.turn;
  }

  draw() {
    if (this.data && this.width) this.form.draw(this.values, this.width, this.data.height);
  }

  // Steps of 0.1 are not numbers of the machine: the nearest that is written with few digits.
  snapped(value) {
    const { step, limit } = this.data;
    const whole = Math.round(Math.max(-limit, Math.min(limit, value)) / step) * step;
    return Number(Math.max(-limit, Math.min(limit, whole)).toFixed(6)) + 0;
  }

  move(changes) {
    const values = [...this.values];
    for (const [place, value] of Object.entries(changes)) values[place] = this.snapped(value);
    if (values.every((value, i) => value === this.values[i])) return;
    this.values = values;
    this.own = { seq: ++this.seq, values };
    this.draw();
    this.post();
  }

  // One message on its way at a time; what is moved meanwhile goes with the next, the latest only.
  post() {
    if (!this.data || this.flight || !this.own || this.own.seq === this.sent) return;
    clearTimeout(this.timer);
    const early = this.last + GAP_MS - performance.now();
    if (early > 0) {
      this.timer = setTimeout(() => this.post(), early);
      return;
    }
    this.last = performance.now();
    this.sent = this.flight = this.own.seq;
    this.timer = setTimeout(() => { this.flight = 0; this.post(); }, FLIGHT_MS);
    this.emit("events", { client: this.client, ...this.own });
  }

  // A tip to drag. `grip` is what is seen of it; `to` says which numbers a point or a step means.
  handle(hue, grip, { to, by }) {
    const made = svg("g", `handle ${hue}`, this.svg);
    set(made, { tabindex: 0, role: "slider" });
    made.append(svg(grip, "hit"), svg(grip, "grip"));
    const at = (event) => {
      const box = this.svg.getBoundingClientRect();
      const zoom = this.root.getBoundingClientRect().width / this.width; // a page may be enlarged
      return [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
    };
    const release = () => {
      if (this.held?.made !== made) return;
      this.held = null;
      made.classList.remove("held");
      if (!this.own) this.values = this.data.values;
      this.draw();
    };
    // Only a tip takes the finger; elsewhere it scrolls the page. (No touch-action inside an SVG.)
    made.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    made.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault(); // selects no text
      made.focus({ preventScroll: true });
      made.setPointerCapture(event.pointerId);
      made.classList.add("held");
      const [x, y] = at(event);
      this.held = { made, x: x - made.tip[0], y: y - made.tip[1] };
    });
    made.addEventListener("pointermove", (event) => {
      if (this.held?.made !== made) return;
      const [x, y] = at(event);
      this.move(to(x - this.held.x, y - this.held.y));
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) made.addEventListener(name, release);
    made.addEventListener("keydown", (event) => {
      const step = MOVES[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const size = this.data.step * (event.shiftKey ? 10 : 1);
      this.move(by(step[0] * size, step[1] * size));
    });
    return made;
  }

  // What a screen reader hears of a tip.
  tell(handle, label, numbers) {
    const { limit } = this.data, text = numbers.map((number) => written(number)).join(", ");
    set(handle, {
      "aria-label": `${label}: ${text}`, "aria-valuetext": text, "aria-valuenow": numbers[0],
      "aria-valuemin": -limit, "aria-valuemax": limit,
    });
  }
}

class Arrows {
  constructor(view) {
    this.view = view;
    view.svg.replaceChildren();
    const { limit, labels } = view.data;
    this.lines = [];
    for (let i = -limit; i <= limit; i += 1) {
      for (const upright of [true, false]) {
        const line = svg("line", i ? "grid" : "axis", view.svg);
        this.lines.push({ i, upright, line, text: i && i % 2 === 0 ? svg("text", "", view.svg) : null });
      }
    }
    this.ray = svg("line", "ray", view.svg);
    this.shadow = svg("line", "shadow", view.svg);
    this.drop = svg("line", "drop", view.svg);
    this.angle = svg("path", "angle", view.svg);
    this.arrows = labels.map((label, k) => {
      const hue = k ? "orange" : "blue", group = svg("g", hue, view.svg), place = 2 * k;
      const handle = view.handle(hue, "circle", {
        to: (x, y) => ({ [place]: (x - this.zero) / this.unit, [place + 1]: (this.zero - y) / this.unit }),
        by: (x, y) => ({ [place]: view.values[place] + x, [place + 1]: view.values[place + 1] + y }),
      });
      const name = svg("text", "name", view.svg);
      name.textContent = label;
      return { label, handle, name, shaft: svg("line", "shaft", group), head: svg("path", "head", group) };
    });
  }

  draw(values, width, height) {
    const { view } = this, { limit } = view.data, size = Math.min(width, height);
    this.zero = size / 2;
    this.unit = (size / 2 - 24) / limit; // what is beside the plane is for names of tips at its edge
    const at = ([x, y]) => [this.zero + x * this.unit, this.zero - y * this.unit];
    set(view.svg, { width: size, height: size });
    for (const { i, upright, line, text } of this.lines) {
      span(line, at(upright ? [i, -limit] : [-limit, i]), at(upright ? [i, limit] : [limit, i]));
      if (!text) continue;
      const [x, y] = at(upright ? [i, 0] : [0, i]);
      set(text, upright ? { x, y: y + 10 } : { x: x - 10, y });
      text.textContent = written(i);
    }
    const [a, b] = [values.slice(0, 2), values.slice(2)];
    [a, b].forEach((vector, k) => {
      const { label, handle, name, shaft, head } = this.arrows[k], tip = at(vector);
      const length = Math.hypot(...vector), [x, y] = tip;
      const [ux, uy] = length ? [vector[0] / length, -vector[1] / length] : [0, 0];
      const back = Math.min(12, length * this.unit), wide = back / 2.4, neck = [x - ux * back, y - uy * back];
      const sides = [1, -1].map((side) => [neck[0] - side * uy * wide, neck[1] + side * ux * wide]);
      span(shaft, at([0, 0]), neck);
      set(head, { d: `M${tip}L${sides[0]}L${sides[1]}Z` });
      set(name, { x: x + (length ? ux : k ? 0.7 : -0.7) * 20, y: y + (length ? uy : -0.7) * 20 });
      handle.tip = tip;
      set(handle.firstChild, { cx: x, cy: y, r: 20 });
      set(handle.lastChild, { cx: x, cy: y, r: 8 });
      view.tell(handle, label, vector);
    });
    this.compare(a, b, at);
  }

  // The angle between the arrows, and the shadow of b on the line of a.
  compare(a, b, at) {
    const { limit } = this.view.data, squared = a[0] ** 2 + a[1] ** 2;
    const seen = squared > 0 && Math.hypot(...b) > 0;
    const visibility = seen ? "visible" : "hidden";
    for (const part of [this.ray, this.shadow, this.drop, this.angle]) set(part, { visibility });
    if (!seen) return;
    const share = (a[0] * b[0] + a[1] * b[1]) / squared, foot = at([share * a[0], share * a[1]]);
    const far = limit / Math.max(Math.abs(a[0]), Math.abs(a[1]));
    span(this.ray, at([-far * a[0], -far * a[1]]), at([far * a[0], far * a[1]]));
    span(this.shadow, at([0, 0]), foot);
    span(this.drop, at(b), foot);
    const radius = Math.min(0.9, 0.6 * Math.min(Math.sqrt(squared), Math.hypot(...b)));
    const [p, q] = [a, b].map((v) => v.map((part) => (radius * part) / Math.hypot(...v)));
    const turn = a[0] * b[1] - a[1] * b[0]; // above 0: b lies to the left of a
    const corner = at([p[0] + q[0], p[1] + q[1]]), arc = radius * this.unit;
    const way = Math.abs(share) * squared < 1e-9 ? `L${corner}L` : `A${arc} ${arc} 0 0 ${turn > 0 ? 0 : 1} `;
    set(this.angle, { d: `M${at(p)}${way}${at(q)}` });
  }
}

class Bars {
  constructor(view) {
    this.view = view;
    view.svg.replaceChildren();
    const { labels, limit } = view.data;
    this.levels = [-limit, -limit / 2, 0, limit / 2, limit].map((level) => {
      const text = svg("text", "left", view.svg);
      text.textContent = written(level);
      return { level, text, line: svg("line", level ? "grid" : "axis", view.svg) };
    });
    this.bars = labels.map((label, k) => {
      const group = svg("g", "", view.svg), bar = svg("rect", "bar", group);
      const handle = view.handle("blue", "rect", {
        to: (_, y) => ({ [k]: (this.zero - y) / this.unit }),
        by: (x, y) => ({ [k]: view.values[k] + x + y }),
      });
      const name = svg("text", "", view.svg), number = svg("text", "number", view.svg);
      name.textContent = label;
      return { label, group, bar, handle, name, number };
    });
  }

  draw(values, width, height) {
    const { view } = this, { limit, labels } = view.data, left = 34, slot = (width - left) / labels.length;
    pen.font = getComputedStyle(view.svg).font;
    const longest = Math.max(...labels.map((label) => pen.measureText(label).width));
    const turned = longest > slot - 6, foot = turned ? Math.min(100, longest + 14) : 22, top = 18;
    const inner = height - foot - top - 18;
    this.unit = inner / (2 * limit);
    this.zero = top + inner / 2;
    set(view.svg, { width, height });
    for (const { level, text, line } of this.levels) {
      const y = this.zero - level * this.unit;
      span(line, [left, y], [width, y]);
      set(text, { x: left - 6, y });
    }
    const every = Math.ceil((turned ? 12 : 1) / slot), wide = Math.min(56, slot * 0.72);
    this.bars.forEach(({ label, group, bar, handle, name, number }, k) => {
      const value = values[k], x = left + (k + 0.5) * slot, y = this.zero - value * this.unit;
      for (const part of [group, handle]) {
        part.classList.toggle("blue", value >= 0);
        part.classList.toggle("orange", value < 0);
      }
      set(bar, { x: x - wide / 2, width: wide, y: Math.min(y, this.zero), height: Math.abs(y - this.zero) });
      handle.tip = [x, y];
      set(handle.firstChild, { x: x - slot / 2, width: slot, y: y - 16, height: 32 });
      set(handle.lastChild, { x: x - wide / 2, width: wide, y: y - 4, height: 8, rx: 3 });
      set(number, { x, y: y + (value < 0 ? 15 : -14), visibility: slot < 30 ? "hidden" : "visible" });
      number.textContent = written(value, slot < 44 ? 1 : 2);
      const below = height - foot + 8;
      set(name, turned ? { x: 0, y: 0, class: "left", transform: `translate(${x} ${below}) rotate(-90)` }
        : { x, y: below, class: "", transform: "" });
      set(name, { visibility: k % every ? "hidden" : "visible" });
      view.tell(handle, label, [value]);
    });
  }
}

// As short as it can be read, with a true minus.
function written(value, digits = 2) {
  const size = Math.abs(value);
  const text = size >= 1e4 ? size.toExponential(1).replace("e+", "e")
    : String(Number(size.toFixed(size < 100 ? digits : 0)));
  return value < 0 && text !== "0" ? `\u2212${text}` : text;
}

function svg(tag, className, parent = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (className) made.setAttribute("class", className);
  parent?.append(made);
  return made;
}

function set(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value);
}

function span(line, [x1, y1], [x2, y2]) {
  set(line, { x1, y1, x2, y2 });
}
