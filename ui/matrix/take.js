// Takes what the component shows away, without Python: as a picture for paper, or as its numbers.
// Stands after matrix.js, whose functions it uses.

const TAKE_ICON = "M8 2v7.5M4.8 6.6 8 9.8l3.2-3.2M2.5 11.5v2h11v-2";
const PAPER_FONT = "'Source Sans 3', 'Noto Sans', Helvetica, Arial, sans-serif";
const INK = "#111", PALE = "#555", LINE = "#bbb";
const LEAST = 6; // px of a cell on paper: below that no mark can be seen in it
const MOST_PIXELS = 60e6; // of a PNG; a browser refuses more than about 268 million

// The button at the right end of the foot, and its menu.
class Take {
  constructor(view, foot) {
    this.view = view;
    this.button = element("button", "take", foot, { type: "button", "aria-haspopup": "menu", "aria-expanded": "false" });
    const icon = drawing("svg", this.button, { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
    drawing("path", icon, { d: TAKE_ICON, fill: "none", stroke: "currentColor", "stroke-width": 1.4 });
    // A popover lies over everything, and closes on Esc and on a click beside it.
    this.menu = element("div", "take-menu", view.root, { role: "menu", popover: "auto" });
    this.button.popoverTargetElement = this.menu;
    this.items = ["svg", "png", "csv"].map((kind) => {
      const item = element("button", "", this.menu, { type: "button", role: "menuitem" });
      item.onclick = () => { this.menu.hidePopover(); this.save(kind); };
      return item;
    });
    this.items[0].autofocus = true;
    this.follow = () => this.place();
    this.menu.onbeforetoggle = ({ newState }) => {
      const opens = newState === "open";
      this.button.setAttribute("aria-expanded", String(opens));
      this.held = this.holdsFocus();
      if (opens) this.place();
      const listen = opens ? addEventListener : removeEventListener;
      listen("scroll", this.follow, true); // it would stay behind
    };
    this.menu.ontoggle = ({ newState }) => {
      if (newState === "closed" && this.held) this.button.focus({ preventScroll: true });
    };
    this.menu.onkeydown = (event) => this.press(event);
    this.menu.onfocusout = ({ relatedTarget }) => {
      if (relatedTarget && !this.menu.contains(relatedTarget)) this.menu.hidePopover();
    };
  }

  destroy() {
    removeEventListener("scroll", this.follow, true);
  }

  say(texts) {
    for (const name of ["aria-label", "title"]) this.button.setAttribute(name, texts.take);
    this.menu.setAttribute("aria-label", texts.take);
    ["take_svg", "take_png", "take_csv"].forEach((name, i) => { this.items[i].textContent = texts[name]; });
  }

  holdsFocus() { return this.menu.contains(this.menu.getRootNode().activeElement); }

  // Its right end under that of the button; above it, where there is room.
  place() {
    const at = this.button.getBoundingClientRect(), { clientWidth, clientHeight } = document.documentElement;
    const above = at.top > 140;
    Object.assign(this.menu.style, {
      right: px(clientWidth - at.right),
      bottom: above ? px(clientHeight - at.top + 4) : "auto",
      top: above ? "auto" : px(at.bottom + 4),
    });
  }

  press(event) {
    event.stopPropagation(); // C and R are shortcuts of the page
    const at = this.items.indexOf(this.menu.getRootNode().activeElement), last = this.items.length - 1;
    const goal = { ArrowDown: at === last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (goal === undefined) return;
    this.items[goal].focus();
    event.preventDefault();
  }

  async save(kind) {
    const panels = [...this.view.panels.values()];
    const made = { csv: () => tableBlob(panels), svg: () => pictureBlob(this.view), png: () => pixels(this.view) };
    const link = element("a", "", this.view.root, { download: `${fileName(this.view.data.name, panels)}.${kind}`, hidden: "" });
    link.href = URL.createObjectURL(await made[kind]());
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000); // not before the browser has read it
  }
}

function fileName(name, panels) {
  const safe = (text) => text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
  return safe(name) || safe(panels.map((panel) => panel.spec.name).join("-")) || "matrix";
}

// ---- numbers ---------------------------------------------------------------------------

// Each matrix under its title, with its labels; core/tables.py reads those again whose title it
// knows. A masked cell is empty. All digits that the browser has: a very large matrix came as
// float32. The mark at the beginning tells a spreadsheet that this is UTF-8.
function tableBlob(panels) {
  const tables = panels.map((panel) => {
    const { spec } = panel;
    const lines = [[spec.savedAs || spec.title], ["", ...spec.cols]].map((cells) => cells.map(textCell));
    spec.rows.forEach((name, row) => {
      lines.push([textCell(name), ...spec.cols.map((_, col) => (panel.hidden(row, col) ? "" : numberCell(panel, row, col)))]);
    });
    return lines.map((cells) => `${cells.join(",")}\r\n`).join("");
  });
  return new Blob(["\ufeff", tables.join("\r\n")], { type: "text/csv;charset=utf-8" });
}

function numberCell(panel, row, col) {
  const value = panel.at(row, col);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "'-inf";
  if (Object.is(value, -0)) return "-0.0";
  return String(panel.spec.dtype === "<f4" ? Number(value.toPrecision(9)) : value);
}

// A spreadsheet would run a text that begins like a formula (as in core/tables.py).
function textCell(text) {
  const runs = /^'*[-=+@\t\r\n－＝＋＠]/.test(text) && !(/^-/.test(text) && Number.isFinite(Number(text)));
  const safe = runs ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// ---- picture ---------------------------------------------------------------------------

async function pixels(view) {
  const svg = picture(view), [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  const image = new Image(width, height);
  const url = URL.createObjectURL(svgBlob(svg));
  image.src = url;
  await image.decode();
  const scale = Math.min(2, Math.sqrt(MOST_PIXELS / (width * height)), 16000 / Math.max(width, height));
  const canvas = element("canvas");
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function pictureBlob(view) {
  return svgBlob(picture(view));
}

function svgBlob(svg) {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}`;
  return new Blob([text], { type: "image/svg+xml" });
}

function drawing(tag, parent, attributes = {}, text = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = legal(text);
  parent?.append(made);
  return made;
}

// What XML forbids would make the whole file unreadable, and direction overrides its text.
function legal(text) {
  return text.replace(/[\t\n\r]/g, " ").replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[^\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u007f-\u009f]/gu, "\ufffd");
}

function fontOf(size, weight = "") {
  return `${weight} ${size}px ${PAPER_FONT}`;
}

// Cuts a label to a width, but keeps its position, so that equal words stay apart.
function cut(text, width, font) {
  const measure = ruler(font), clean = legal(text);
  if (measure(clean) <= width) return clean;
  const [, word, position = ""] = clean.match(/^(.*?)(·\d+)?$/s);
  const letters = [...word];
  while (letters.length && measure(`${letters.join("")}…${position}`) > width) letters.pop();
  return `${letters.join("")}…${position}`;
}

// All panels side by side in black on white, whatever the theme and the width of the window.
function picture(view) {
  const panels = [...view.panels.values()];
  const paper = new Paper(view, panels);
  const svg = drawing("svg", null, { "font-family": PAPER_FONT, fill: INK });
  const signs = panels.length > 1 ? [" × ", " = ", ""] : [""];
  drawing("title", svg, {}, panels.map((panel, i) => panel.spec.title + signs[i]).join(""));
  const defs = drawing("defs", svg);
  const hatch = drawing("pattern", defs, { id: "hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse" });
  drawing("path", hatch, { d: "M-1 1 1-1M0 5 5 0M4 6 6 4", stroke: "#888", "stroke-width": 0.8 });
  const white = drawing("rect", svg, { fill: "#fff" });
  let x = 12;
  panels.forEach((panel, i) => {
    if (i) {
      drawing("text", svg, { x: x + 15, y: paper.middle, "text-anchor": "middle", "font-size": 18 }, signs[i - 1].trim());
      x += 30;
    }
    const group = drawing("g", svg, { transform: `translate(${x} 12)` });
    x += paper.panel(group, panel);
  });
  const y = 12 + paper.top + Math.max(...panels.map((panel) => panel.n)) * paper.height + 14;
  x = Math.max(x, paper.legend(svg, defs, y));
  const size = { width: Math.ceil(x + 12), height: Math.ceil(y + 26) };
  for (const [name, value] of Object.entries(size)) for (const one of [svg, white]) one.setAttribute(name, value);
  svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  return svg;
}

// One size of cell and one place of the rows for all panels, and the theme of white paper.
class Paper {
  constructor(view, panels) {
    this.view = view;
    this.panels = panels;
    const size = panels.find((panel) => panel.size).size;
    this.numbers = size.numbers;
    this.height = Math.max(size.height, LEAST);
    const widest = this.numbers ? Math.max(...panels.map((p) => this.widest(p))) + 8 : LEAST;
    this.width = Math.max(size.width, Math.ceil(widest));
    const font = fontOf(LABEL_FONT);
    this.tall = panels.map((panel) => longest(panel.spec.cols.map(legal), font) > this.width - 2);
    const heads = panels.map((panel, i) => (this.tall[i] ? Math.min(150, 8 + longest(panel.spec.cols.map(legal), font)) : 18));
    this.heads = Math.ceil(Math.max(18, ...heads));
    this.axis = panels.some((panel) => panel.spec.colAxis) ? 17 : 0;
    this.top = 22 + this.axis + this.heads;
    this.middle = 12 + this.top + Math.min(...panels.map((panel) => panel.n)) * this.height / 2 + 6;
    const sheet = element("i", "", view.root, { style: "color: #000; --st-background-color: #fff; --st-text-color: #000" });
    this.theme = readTheme(sheet, view.data.look);
    sheet.remove();
    this.pen = element("canvas", "", null, { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    this.opaque = new Map();
    this.marked = this.hatched = false;
  }

  text(panel, value) { return compact(value, panel.digits ?? panel.spec.digits); }

  widest(panel) {
    const texts = [...panel.values].filter((_, i) => !panel.hidden(0, i)).map((value) => this.text(panel, value));
    return longest([...new Set(texts.map((text) => text.replace(/\d/g, "0")))], fontOf(this.numbers));
  }

  // A colour of the theme over white as #rrggbb, which every program understands.
  colour(part, scale, from0) {
    const seen = this.theme.paint(part, scale, from0);
    if (!this.opaque.has(seen)) {
      for (const fill of ["#fff", seen]) { this.pen.fillStyle = fill; this.pen.fillRect(0, 0, 1, 1); }
      const [red, green, blue] = this.pen.getImageData(0, 0, 1, 1).data;
      this.opaque.set(seen, `#${((1 << 24) | (red << 16) | (green << 8) | blue).toString(16).slice(1)}`);
    }
    return this.opaque.get(seen);
  }

  // Draws one panel and returns how wide it is.
  panel(group, panel) {
    const { spec, n, m } = panel, font = fontOf(LABEL_FONT);
    const title = drawing("text", group, { y: 14, "font-size": 15, "font-weight": 600 }, spec.title);
    const shape = `${n} × ${m}`;
    drawing("tspan", title, { dx: 7, "font-size": 12, "font-weight": 400, fill: PALE }, shape);
    const titled = ruler(fontOf(15, "600"))(legal(spec.title)) + 7 + ruler(fontOf(12))(shape);
    const side = n ? Math.min(170, 8 + Math.ceil(longest(spec.rows.map(legal), font))) : 0;
    const left = (spec.rowAxis ? 17 : 0) + side, inner = m * this.width, high = n * this.height;
    const labels = drawing("g", group, { "font-size": LABEL_FONT, fill: PALE });
    if (spec.colAxis) drawing("text", labels, { x: left, y: 32 }, spec.colAxis);
    if (spec.rowAxis) {
      const axis = { transform: `translate(11 ${this.top}) rotate(-90)`, "text-anchor": "end" };
      drawing("text", labels, axis, cut(spec.rowAxis, high, font));
    }
    this.labels(labels, panel, left, side);
    const cells = drawing("g", group, { transform: `translate(${left} ${this.top})` });
    this.cells(cells, panel);
    drawing("rect", cells, { width: inner, height: high, fill: "none", stroke: "#888", "stroke-width": 0.8 });
    this.outlines(cells, panel);
    return Math.max(left + inner, titled, spec.colAxis ? left + ruler(font)(legal(spec.colAxis)) : 0);
  }

  labels(group, panel, left, side) {
    const { width, height, top } = this, font = fontOf(LABEL_FONT);
    const rows = drawing("g", group, { "text-anchor": "end" });
    const rowStep = Math.ceil(11 / height);
    panel.spec.rows.forEach((text, i) => {
      if (i % rowStep) return;
      drawing("text", rows, { x: left - 6, y: round(top + (i + 0.5) * height + 4) }, cut(text, side - 6, font));
    });
    const turned = this.tall[this.panels.indexOf(panel)], colStep = turned ? Math.ceil(12 / width) : 1;
    panel.spec.cols.forEach((text, j) => {
      if (j % colStep) return;
      const x = round(left + (j + 0.5) * width);
      const place = turned ? { transform: `translate(${x + 4} ${top - 4}) rotate(-90)` } : { x, y: top - 5, "text-anchor": "middle" };
      drawing("text", group, place, turned ? cut(text, this.heads - 6, font) : text);
    });
  }

  // Cells of one colour are one path: thousands of elements would make a large file slow.
  cells(group, panel) {
    const { width, height, numbers } = this, { limit, scale } = panel.spec;
    const fills = new Map(), below = [], strokes = [];
    const texts = [];
    for (let row = 0; row < panel.n; row += 1) for (let col = 0; col < panel.m; col += 1) {
      const x = round(col * width), y = round(row * height), value = panel.at(row, col);
      const masked = panel.hidden(row, col);
      const fill = masked ? "url(#hatch)" : scale === "plain" ? "#ffffff" : this.colour(value / limit, scale, panel.from0);
      if (fill !== "#ffffff") fills.set(fill, `${fills.get(fill) ?? ""}M${x} ${y}h${width}v${height}h-${width}z`);
      this.hatched ||= masked;
      if (masked) continue;
      if (numbers) texts.push([round(x + width / 2), round(y + height / 2 + numbers * 0.35), this.text(panel, value), value]);
      else if (Number.isNaN(value)) strokes.push(`M${x} ${y + height}L${x + width} ${y}`);
      // In grey both signs look alike, so a cell that is visibly below 0 has a minus in it.
      else if (scale === "signed" && value / limit <= -0.03) {
        const long = width * (0.25 + 0.45 * Math.min(1, -value / limit));
        below.push(`M${round(x + (width - long) / 2)} ${round(y + height / 2)}h${round(long)}`);
      }
    }
    for (const [fill, d] of fills) drawing("path", group, { d, fill });
    if (width >= 8 && height >= 8) drawing("path", group, { d: this.grid(panel), stroke: LINE, "stroke-width": 0.5, fill: "none" });
    if (strokes.length) drawing("path", group, { d: strokes.join(""), stroke: "#888", "stroke-width": 0.8 });
    if (below.length) drawing("path", group, { d: below.join(""), stroke: INK, "stroke-width": this.minus() });
    this.marked ||= below.length > 0;
    const written = drawing("g", texts.length ? group : null, { "text-anchor": "middle", "font-size": numbers });
    for (const [x, y, text, value] of texts) drawing("text", written, value === 0 && !this.theme.grey ? { x, y, fill: PALE } : { x, y }, text);
  }

  minus() { return round(Math.max(0.7, Math.min(1.4, this.height * 0.1))); }

  grid({ n, m }) {
    const rows = Array.from({ length: Math.max(0, n - 1) }, (_, i) => `M0 ${round((i + 1) * this.height)}h${m * this.width}`);
    const cols = Array.from({ length: Math.max(0, m - 1) }, (_, j) => `M${round((j + 1) * this.width)} 0v${n * this.height}`);
    return [...rows, ...cols].join("");
  }

  // The pick, and what it is made from.
  outlines(group, panel) {
    const { pick } = this.view;
    const own = pick?.panel === panel.slot ? pick : null;
    for (const [at, stroke, wide] of [[this.view.related(pick)[panel.slot], "#777", 1.2], [own, "#000", 2]]) {
      if (!at) continue;
      const [row, rows] = at.row === undefined ? [0, panel.n] : [at.row, 1];
      const [col, cols] = at.col === undefined ? [0, panel.m] : [at.col, 1];
      const { width, height } = this;
      drawing("rect", group, { x: col * width, y: row * height, width: cols * width, height: rows * height,
        fill: "none", stroke, "stroke-width": wide, ...(at === own ? { class: "pick" } : {}) });
    }
  }

  // Colour bars with their ends, and what a hatch and a minus mean; returns the right end.
  legend(svg, defs, y) {
    const group = drawing("g", svg, { "font-size": LABEL_FONT, fill: PALE });
    const font = fontOf(LABEL_FONT), { texts } = this.view.data;
    let x = 12;
    const say = (text, gap) => {
      drawing("text", group, { x: round(x), y: y + 9 }, text);
      x += ruler(font)(legal(text)) + gap;
    };
    const bars = scaleBars(this.panels, this.theme.grey);
    bars.forEach(({ scale, up, names, ends: [low, zero, high] }, i) => {
      const gradient = drawing("linearGradient", defs, { id: `bar${i}` });
      for (let stop = 0; stop <= 1; stop += 0.125) {
        const part = scale === "weights" || up ? stop : 2 * stop - 1;
        drawing("stop", gradient, { offset: stop, "stop-color": this.colour(part, scale, up) });
      }
      if (bars.length > 1) say(names.join(", "), 6);
      say(low, 5);
      drawing("rect", group, { x: round(x), y, width: 72, height: 10, fill: `url(#bar${i})`, stroke: LINE, "stroke-width": 0.6 });
      drawing("text", group, { x: round(x + 36), y: y + 9, "text-anchor": "middle" }, zero);
      x += 77;
      say(high, 20);
    });
    const box = (fill) => drawing("rect", group, { x: round(x), y: y - 0.5, width: 11, height: 11, fill, stroke: LINE, "stroke-width": 0.6 });
    if (this.hatched) {
      box("url(#hatch)");
      x += 16;
      say(texts.masked, 20);
    }
    if (this.marked) {
      box(this.colour(-0.4, "signed"));
      drawing("path", group, { d: `M${round(x + 2.5)} ${y + 5}h6`, stroke: INK, "stroke-width": this.minus() });
      x += 16;
      say(texts.below_zero, 0);
    }
    return x;
  }
}

function round(value) {
  return Math.round(value * 100) / 100;
}
