// Draws `left × right = product`, or one matrix, and sends picks and edits to component.py.
// Python owns the truth: what arrives replaces what is shown, except for what Python cannot
// have seen yet (a newer pick, an edit under way).

const HUES = { positive: [47, 129, 247], negative: [224, 112, 32], weights: [124, 92, 240] };
const CANVAS_CELLS = 600; // above this a panel is one picture: thousands of elements are slow
const NARROW = 640; // window width in px below which one panel is shown at a time, to be touched
const TOUCH = 36;
const MIN_FONT = 9.5; // of numbers in cells; a page may set a larger one for all texts: --least-font
const LABEL_FONT = 11;
const MAX_TEXT = 10000; // as in component.py
const FLIGHT_MS = 1500; // a pick that Python has not answered by then no longer holds back the next
const MINUS = "\u2212";
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class View {
  constructor(host) {
    const shadow = host.getRootNode();
    shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, styles];
    this.turn = 0;
    this.client = Math.random().toString(36).slice(2) + Date.now().toString(36);
    this.panels = new Map();
    this.pick = null; // the outlined cell
    this.ownPick = null; // the same with its number, until Python has taken it
    this.pickSeq = this.sentSeq = this.flight = this.editSeq = 0;
    this.outbox = []; // edits that Python has not acknowledged; each message carries all of them
    this.hovered = this.focused = this.editor = null;
    this.width = 0;

    this.root = element("div", "mx", host);
    this.tabs = element("div", "tabs", this.root, { role: "group" });
    this.stage = element("div", "stage", this.root);
    const foot = element("div", "foot", this.root);
    this.readout = element("div", "readout", foot);
    this.bars = element("div", "bars", foot);
    this.take = new Take(this, foot);
    this.live = element("div", "sr", this.root, { "aria-live": "polite" });
    this.observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (!width || width === this.width) return;
      this.width = width;
      this.frame = requestAnimationFrame(() => this.draw()); // not inside the observer: it would loop
    });
    this.observer.observe(this.root);
    // Until the font is there, labels are measured in a stand-in.
    const family = getComputedStyle(this.root).fontFamily; // "" when the page has changed already
    if (family) document.fonts.load(`11px ${family}`).then(() => {
      widths.clear();
      this.drawn = null;
      this.draw();
    });
  }

  destroy() {
    this.observer.disconnect();
    this.take.destroy();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.data = null;
    this.root.remove();
  }

  update({ data, setStateValue }) {
    this.data = data;
    this.emit = setStateValue;
    this.width ||= Math.floor(this.root.clientWidth);
    this.tabs.setAttribute("aria-label", data.texts.panels);
    this.take.say(data.texts);

    const slots = data.panels.map((spec) => spec.slot);
    if (slots.join() !== [...this.panels.keys()].join()) {
      this.closeEditor();
      this.panels = new Map(slots.map((slot) => [slot, new PanelView(this, slot)]));
      const all = [...this.panels.values()];
      const parts = all.map((panel) => panel.element);
      this.tabs.replaceChildren(...all.map((panel) => panel.tab));
      this.operators = parts.length > 1 ? ["×", "="].map((sign) => {
        const operator = element("span", "op", null, { "aria-hidden": "true" });
        operator.textContent = sign;
        return operator;
      }) : [];
      this.stage.replaceChildren(...parts.flatMap((part, i) => (i ? [this.operators[i - 1], part] : [part])));
      this.shown = "product";
      this.drawn = null;
      this.hovered = this.focused = null;
    }
    for (const spec of data.panels) this.panels.get(spec.slot).take(spec);

    const mine = data.ack.client === this.client;
    const taken = mine ? data.ack.pick : 0;
    if (mine) this.outbox = this.outbox.filter((edit) => edit.id > data.ack.edit);
    if (taken >= this.flight) this.flight = 0;
    if (taken >= this.ownPick?.seq || !this.cellExists(this.ownPick)) this.ownPick = null;
    const before = this.pick;
    this.pick = this.ownPick || data.pick; // an echo of an older pick must not move the cursor back
    for (const name of ["pick", "hovered", "focused"]) if (!this.cellExists(this[name])) this[name] = null;
    if (this.pick && !sameCell(this.pick, before)) {
      this.panels.get(this.pick.panel).setCursor(this.pick.row, this.pick.col);
    }
    if (!this.flight && this.ownPick?.seq > this.sentSeq) this.send();
    this.draw();
    return ++this.turn;
  }

  cellExists(cell) {
    const panel = cell && this.panels.get(cell.panel);
    return Boolean(panel && cell.row < panel.n && cell.col < panel.m);
  }

  // ---- events to Python ----------------------------------------------------------------

  send() {
    this.emit("events", { client: this.client, pick: this.ownPick, edits: this.outbox });
    if (!this.ownPick) return;
    this.sentSeq = this.flight = this.ownPick.seq;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.flight = 0;
      if (this.ownPick?.seq > this.sentSeq) this.send();
    }, FLIGHT_MS);
  }

  // Moves the cursor, and the pick with it. Held arrow keys send one message at a time.
  select(panel, row, col, { focus = false, send = true } = {}) {
    panel.setCursor(row, col);
    if (focus) panel.focusCell();
    this.focused = { panel: panel.slot, row, col };
    if (this.data.picks && !sameCell(this.pick, this.focused)) {
      this.pick = this.ownPick = { seq: ++this.pickSeq, ...this.focused };
      if (send && !this.flight) this.send();
    }
    this.point();
  }

  edit(panel, row, col, text) {
    if (text.length > MAX_TEXT) return this.say(this.data.texts.too_long);
    this.outbox = [...this.outbox, { id: ++this.editSeq, panel: panel.slot, row, col, text }];
    this.send(); // at once: an edit never waits for a pick under way
    panel.draw();
  }

  // What Python has not confirmed yet for this cell, if anything.
  pending(slot, row, col) {
    const cell = { panel: slot, row, col };
    return this.outbox.findLast((edit) => sameCell(edit, cell) && !isBlock(edit.text))?.text;
  }

  // ---- drawing -------------------------------------------------------------------------

  draw() {
    if (!this.width || !this.data) return;
    const all = [...this.panels.values()];
    this.theme = readTheme(this.root, this.data.look);
    this.root.classList.toggle("grey", this.theme.grey);
    const versions = all.map((panel) => panel.version);
    const state = JSON.stringify([this.width, this.shown, this.data.maxHeight, this.theme.key, versions]);
    if (state === this.drawn) { // a rerun that changed no number, such as the answer to a pick
      for (const panel of all) panel.draw();
      return this.point();
    }
    this.drawn = state;
    const narrow = innerWidth < NARROW;
    const single = narrow && all.length > 1;
    this.root.classList.toggle("narrow", narrow);
    this.tabs.hidden = !single;
    for (const panel of all) {
      panel.element.hidden = single && panel.slot !== this.shown;
      panel.tab.setAttribute("aria-pressed", panel.slot === this.shown);
    }
    for (const operator of this.operators) operator.hidden = single;
    const visible = all.filter((panel) => !panel.element.hidden);
    const size = this.measure(visible, narrow);
    for (const panel of visible) { panel.layout(size); panel.draw(); }
    const middle = 20 + size.axis + size.heads + Math.min(...visible.map((p) => p.n)) * size.height / 2 - 10;
    for (const operator of this.operators) operator.style.marginTop = `${middle}px`;
    this.drawBars(visible);
    this.editor?.place();
    this.point();
  }

  // One cell size for all panels, so that a row of the product lines up with its row of the left one.
  measure(visible, narrow) {
    const columns = Math.max(1, visible.reduce((sum, p) => sum + p.m, 0));
    const rows = Math.max(1, ...visible.map((p) => p.n));
    const { least } = this.theme;
    const labelFont = Math.max(LABEL_FONT, least), minFont = Math.max(MIN_FONT, least);
    const font = `${labelFont}px ${this.theme.font}`;
    const big = visible.some((p) => p.big);
    const digits = Math.max(...visible.map((p) => p.spec.digits));
    const axis = visible.some((p) => p.spec.colAxis) ? 16 : 0;
    let width = 0, labels = [];
    for (const bound of [104, 64]) { // long row labels give way before the numbers do
      labels = visible.map((p) => Math.min(bound, p.n && 8 + Math.ceil(longest(p.spec.rows, font))));
      const axes = 15 * visible.filter((p) => p.spec.rowAxis).length;
      const fixed = labels.reduce((sum, px) => sum + px, axes) + 26 * visible.length - 24;
      width = Math.min(digits > 2 ? 56 : 46, Math.floor((this.width - fixed) / columns));
      if (width >= 28) break;
    }
    const touch = narrow && (big ? 20 : TOUCH); // 64 columns of 36 px would make a picture of 2304
    this.root.classList.toggle("scrolls", width < Math.max(touch, 3));
    width = Math.max(width, touch, 3);
    const tall = visible.map((p) => Math.ceil(longest(p.spec.cols, font)));
    const heads = Math.max(18, ...tall.map((px) => (px > width - 2 ? Math.min(least ? 120 : 76, 8 + px) : 18)));
    let height = touch || (width < 18 ? width : Math.min(32, Math.max(24, Math.round(width * 0.72))));
    const limit = this.data.maxHeight || (big ? 560 : 0);
    const room = Math.floor((limit - 50 - axis - heads) / rows);
    // A short matrix keeps its numbers; only a long one gives them up for the limit.
    if (limit && !touch) height = Math.max(rows <= 16 ? 15 : 3, Math.min(height, room));
    if (height < 12 && !touch) width = Math.min(width, Math.max(3, Math.round(1.5 * height)));

    let numbers = minFont <= height - 2 ? Math.max(13, minFont) : 0;
    for (const p of visible) numbers = Math.min(numbers, p.fit(width, this.theme.font, minFont));
    if (numbers < minFont) numbers = 0;
    const sides = new Map(visible.map((p, i) => [p, labels[i]]));
    const turned = new Set(visible.filter((_, i) => tall[i] > width - 2));
    return { width, height, heads, axis, numbers, sides, turned, line: Math.ceil(labelFont) + 1 };
  }

  drawBars(visible) {
    const scales = scaleBars(visible, this.theme.grey);
    this.bars.replaceChildren(...scales.map(({ scale, names, ends: words }) => {
      const bar = element("span", "bar", null, { "aria-hidden": "true" });
      if (scales.length > 1) element("bdi", "", bar).textContent = names.join(", ");
      element("span", "", bar).textContent = words[0];
      const strip = element("i", "", bar);
      strip.textContent = words[1];
      const from = scale === "weights" ? "transparent" : this.theme.paint(-1, scale);
      const middle = scale === "weights" || this.theme.grey ? "" : "transparent, ";
      strip.style.background = `linear-gradient(to right, ${from}, ${middle}${this.theme.paint(1, scale)})`;
      element("span", "", bar).textContent = words[2];
      return bar;
    }));
  }

  // ---- pointing ------------------------------------------------------------------------

  // Lights what belongs to the cell under the pointer, outlines what belongs to the pick.
  point() {
    const lit = this.related(this.hovered), soft = this.related(this.pick);
    for (const [slot, panel] of this.panels) {
      panel.mark("lit", lit[slot]);
      panel.mark("soft", soft[slot]);
      panel.mark("hover", this.hovered?.panel === slot ? this.hovered : null);
      panel.mark("ring", this.pick?.panel === slot ? this.pick : null);
      panel.select(this.pick?.panel === slot ? this.pick : null);
      const at = this.hovered || this.focused, own = at?.panel === slot ? at : null;
      panel.emphasise(own?.row ?? lit[slot]?.row, own?.col ?? lit[slot]?.col);
    }
    this.describe(this.hovered || this.focused || this.pick);
  }

  related(cell) {
    if (!cell || this.panels.size === 1) return {};
    if (cell.panel === "left") return { product: { row: cell.row } };
    if (cell.panel === "right") return { product: { col: cell.col } };
    return { left: { row: cell.row }, right: { col: cell.col } };
  }

  describe(cell) {
    if (!this.cellExists(cell)) return this.say(this.data.texts.pick_hint, "hint");
    const { texts } = this.data;
    const panel = this.panels.get(cell.panel), { spec } = panel;
    const masked = panel.hidden(cell.row, cell.col);
    // All digits, unless the page enlarges its texts: on a lecture screen they would be cut.
    const enlarged = getComputedStyle(this.readout).getPropertyValue("--least-font") !== "";
    const value = masked ? texts.masked : exact(panel.at(cell.row, cell.col), spec.dtype, enlarged ? 6 : 15);
    const [row, col] = panel.label(cell.row, cell.col);
    const parts = [["bdi", spec.name], ["span", "["], ["bdi", row], ["span", ", "], ["bdi", col],
      ["span", masked ? "] " : "] = "], ["b", value]];
    this.readout.replaceChildren(...parts.map(([tag, text]) => {
      const part = element(tag);
      part.textContent = text;
      return part;
    }));
    const hint = spec.toggle ? texts.toggle_hint : spec.editable ? texts.edit_hint : "";
    if (hint) element("span", "hint", this.readout).textContent = ` · ${hint}`;
  }

  say(text, className = "") {
    const part = element("span", className);
    part.textContent = text;
    this.readout.replaceChildren(part);
  }

  // ---- editing -------------------------------------------------------------------------

  openEditor(panel, row, col, typed) {
    this.closeEditor();
    const before = this.pending(panel.slot, row, col) ?? panel.source(row, col);
    const input = element("input", "", panel.layer, { "aria-label": panel.label(row, col).join(", "),
      autocomplete: "off", spellcheck: "false", maxlength: MAX_TEXT });
    input.value = typed ?? before;
    const finish = (focus = true) => {
      const text = input.value;
      this.closeEditor();
      if (focus) panel.focusCell();
      if (text !== before) this.edit(panel, row, col, text);
    };
    const place = () => {
      const size = panel.size, width = Math.max(size.width + 4, 112);
      const left = Math.max(0, Math.min(col * size.width - 2, panel.m * size.width - width));
      const height = Math.max(size.height + 4, 26);
      const top = row * size.height + (size.height - height) / 2;
      Object.assign(input.style, { left: px(left), top: px(top), width: px(width), height: px(height) });
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation(); // C and R are shortcuts of the page, and it cannot see that this is a field
      if (event.isComposing) return;
      if (event.key === "Enter") finish();
      else if (event.key === "Escape") { this.closeEditor(); panel.focusCell(); }
      else if (event.key === "Tab") {
        finish();
        const next = col + (event.shiftKey ? -1 : 1);
        this.select(panel, row, Math.max(0, Math.min(panel.m - 1, next)), { focus: true });
      } else return;
      event.preventDefault();
    });
    input.addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text/plain");
      event.stopPropagation();
      if (!isBlock(text)) return;
      event.preventDefault();
      this.closeEditor();
      panel.focusCell();
      this.edit(panel, row, col, text);
    });
    // Another window in front takes the focus too: then the field stays open.
    input.addEventListener("blur", () => { if (this.editor && document.hasFocus()) finish(false); });
    this.editor = { input, panel, row, col, place };
    place();
    input.focus();
    if (typed === undefined) input.select();
  }

  closeEditor() {
    const { input } = this.editor || {};
    this.editor = null; // first: removing the field makes it blur
    input?.remove();
  }
}

class PanelView {
  constructor(view, slot) {
    this.view = view;
    this.slot = slot;
    this.cursor = { row: 0, col: 0 };
    this.version = 0;
    this.tab = element("button", "", null, { type: "button" });
    this.tab.onclick = () => { view.shown = slot; view.draw(); };
    this.element = element("section", "panel");
    this.title = element("div", "title", this.element);
    this.colAxis = element("div", "axis col-axis", this.element);
    const frame = element("div", "frame", this.element);
    this.rowAxis = element("div", "axis row-axis", frame);
    this.grid = element("div", "grid", frame, { role: "grid" });
    this.heads = element("div", "heads", this.grid, { role: "row" });
    this.body = element("div", "body", this.grid, { role: "rowgroup" });
    this.layer = element("div", "layer", this.body, { role: "presentation" });
    this.marks = {};
    for (const name of ["soft", "lit", "hover", "ring"]) {
      this.marks[name] = element("span", name, this.layer, { hidden: "" });
    }
    this.listen();
  }

  get n() { return this.spec.rows.length; }
  get m() { return this.spec.cols.length; }
  at(row, col) { return this.values[row * this.m + col]; }
  hidden(row, col) {
    const bit = row * this.m + col;
    return Boolean(this.mask && this.mask[bit >> 3] & (128 >> (bit & 7)));
  }
  // A number as it is edited: committed unchanged, it is the same number.
  source(row, col) {
    const value = this.at(row, col);
    if (this.hidden(row, col)) return "";
    return this.spec.dtype === "<f4" && Number.isFinite(value) ? exact(value, "<f4") : String(value);
  }
  // Labels are never empty for a screen reader.
  label(row, col) {
    const { texts } = this.view.data, { rows, cols } = this.spec;
    return [rows[row] || `${texts.row} ${row}`, cols[col] || `${texts.column} ${col}`];
  }
  spoken(row, col) {
    const words = this.label(row, col).join(", ");
    if (this.hidden(row, col)) return `${words} ${this.view.data.texts.masked}`;
    return `${words}: ${rounded(this.at(row, col), this.spec.digits)}`;
  }

  take(spec) {
    const old = this.spec, text = JSON.stringify([spec, this.view.data.texts]);
    this.grid.classList.toggle("picks", this.view.data.picks);
    if (text === this.specText) return;
    this.specText = text;
    this.version += 1;
    this.spec = spec;
    if (old?.values !== spec.values || old?.dtype !== spec.dtype) {
      this.values = new (spec.dtype === "<f8" ? Float64Array : Float32Array)(bytes(spec.values).buffer);
    }
    if (old?.masked !== spec.masked) this.mask = spec.masked && bytes(spec.masked);
    this.from0 = this.values.every((value, i) => !(value < 0) || this.hidden(0, i)); // row 0: cell i
    this.big = this.n * this.m > CANVAS_CELLS;
    this.tab.textContent = spec.name;
    const shape = `${this.n} × ${this.m}`;
    this.title.textContent = "";
    element("bdi", "", this.title).textContent = spec.title;
    element("span", "shape", this.title).textContent = shape;
    this.title.title = `${spec.title} ${shape}`;
    this.grid.setAttribute("aria-label", `${spec.title}, ${shape}`);
    this.grid.setAttribute("aria-readonly", String(!(spec.editable || spec.toggle)));
    this.grid.classList.toggle("editable", spec.editable && !spec.toggle);
    this.colAxis.textContent = this.colAxis.title = spec.colAxis;
    this.rowAxis.textContent = this.rowAxis.title = spec.rowAxis;
    this.rowAxis.hidden = !spec.rowAxis;
    const labels = JSON.stringify([spec.rows, spec.cols]);
    if (labels !== this.labels) this.build();
    this.labels = labels;
    this.drawn = null;
    if (this.proxy) this.setCursor(this.cursor.row, this.cursor.col); // what it says may be old
    const { editor } = this.view;
    const open = spec.editable && editor?.row < this.n && editor?.col < this.m;
    if (editor?.panel === this && !open) this.view.closeEditor();
  }

  // Elements for a new shape or new labels. The layer is kept, and with it an open field.
  build() {
    const { rows, cols } = this.spec;
    const held = this.cells?.includes(this.element.getRootNode().activeElement);
    this.corner = element("span", "corner", null, { role: "presentation" });
    this.colLabels = cols.map((text) => label("col", "columnheader", text));
    this.heads.replaceChildren(this.corner, ...this.colLabels);
    this.rowLabels = rows.map((text) => label("row-label", "rowheader", text));
    this.cells = [];
    for (const child of [...this.body.children]) if (child !== this.layer) child.remove();
    for (const rowLabel of this.rowLabels) {
      const row = element("div", "row", null, this.big ? { "aria-hidden": "true" } : { role: "row" });
      row.append(rowLabel);
      const cell = { role: "gridcell", tabindex: "-1" };
      if (!this.big) this.cells.push(...cols.map(() => element("div", "cell", row, cell)));
      this.body.insertBefore(row, this.layer);
    }
    this.proxy = null;
    for (const name of ["tabindex", "aria-activedescendant"]) this.grid.removeAttribute(name);
    if (this.big) { // one spoken cell stands for all of them
      this.canvas = element("canvas", "", null, { "aria-hidden": "true" });
      this.body.insertBefore(this.canvas, this.layer);
      const row = element("div", "sr", this.body, { role: "row" });
      this.proxy = element("div", "", row, { role: "gridcell", id: `cell-${this.slot}` });
      this.grid.setAttribute("aria-activedescendant", this.proxy.id);
      this.grid.tabIndex = 0;
    }
    this.selected = null;
    this.emphasised = [];
    this.setCursor(Math.min(this.cursor.row, this.n - 1), Math.min(this.cursor.col, this.m - 1));
    if (held) this.focusCell();
  }

  // Largest font with which every number fits; fewer decimals before none at all.
  fit(width, family, minFont) {
    this.digits = this.spec.digits;
    if (width < minFont) return 0;
    const pen = ruler(`10px ${family}`);
    const shown = [...this.values].filter((_, i) => !this.hidden(0, i)); // in row 0, column i is cell i
    const wide = (value) => pen(compact(value, this.digits).replace(/\d/g, "0"));
    for (; ; this.digits -= 0.5) {
      const widest = shown.reduce((most, value) => Math.max(most, wide(value)), 1);
      const font = Math.floor(2 * 10 * (width - 5) / widest) / 2;
      if (font >= minFont || this.digits <= 1) return font;
    }
  }

  layout(size) {
    this.size = size;
    this.drawn = null;
    const side = size.sides.get(this);
    const inner = this.m * size.width + 1;
    Object.assign(this.grid.style, { width: px(side + inner), scrollPaddingLeft: px(side) });
    const shift = (this.spec.rowAxis ? 15 : 0) + side; // over its columns, where there is room
    Object.assign(this.colAxis.style, { height: px(size.axis), paddingLeft: px(inner > 120 ? shift : 0) });
    this.rowAxis.style.maxHeight = px(size.heads + this.n * size.height);
    this.rowAxis.style.paddingBottom = px(size.heads);
    this.heads.style.height = px(size.heads);
    Object.assign(this.corner.style, { width: px(side), height: px(size.heads) });
    Object.assign(this.layer.style, { left: px(side), width: px(inner), height: px(this.n * size.height) });

    const turned = size.turned.has(this), box = turned ? size.line + 2 : size.width;
    const colStep = turned ? Math.ceil(size.line / size.width) : 1, rowStep = Math.ceil(size.line / size.height);
    this.colLabels.forEach((head, j) => {
      head.classList.toggle("turned", turned);
      const left = side + j * size.width + (size.width - box) / 2;
      const visibility = j % colStep ? "hidden" : "";
      Object.assign(head.style, { left: px(left), width: px(box), maxHeight: px(size.heads), visibility });
    });
    const line = Math.max(size.height, size.line), margin = `${px((size.height - line) / 2)} 0`;
    this.rowLabels.forEach((head, i) => {
      const visibility = i % rowStep ? "hidden" : "";
      Object.assign(head.style, { width: px(side), lineHeight: px(line), margin, visibility });
      head.parentElement.style.height = px(size.height);
    });
    const cellStyle = { width: px(size.width), height: px(size.height), lineHeight: px(size.height - 1) };
    for (const cell of this.cells) Object.assign(cell.style, cellStyle, { fontSize: px(size.numbers || 1) });
  }

  draw() {
    if (!this.size) return;
    const { outbox, theme } = this.view;
    const state = JSON.stringify([outbox.filter((e) => e.panel === this.slot), theme.key]);
    if (state === this.drawn) return;
    this.drawn = state;
    if (this.big) this.drawCanvas();
    else this.cells.forEach((cell, i) => this.drawCell(cell, Math.floor(i / this.m), i % this.m));
  }

  // An edit that Python has not confirmed is shown as typed, and looks unconfirmed.
  drawCell(cell, row, col) {
    const { theme } = this.view, { limit, scale } = this.spec;
    const edited = this.view.pending(this.slot, row, col);
    const value = edited === undefined ? this.at(row, col) : Number(edited.trim() || NaN);
    const masked = edited === undefined && this.hidden(row, col);
    const text = edited !== undefined && Number.isNaN(value) ? edited : compact(value, this.digits);
    cell.className = "cell";
    cell.classList.toggle("masked", masked);
    cell.classList.toggle("zero", value === 0 && !masked);
    cell.classList.toggle("nan", Number.isNaN(value) && !masked);
    cell.classList.toggle("pending", edited !== undefined);
    cell.style.backgroundColor = masked ? "" : theme.paint(value / limit, scale, this.from0);
    cell.textContent = masked || !this.size.numbers ? "" : text;
    cell.dataset.v = this.hidden(row, col) ? "masked" : String(this.at(row, col));
    cell.setAttribute("aria-label", this.spoken(row, col));
  }

  drawCanvas() {
    const { width, height, sides, numbers } = this.size, { theme } = this.view, { limit } = this.spec;
    const w = this.m * width, h = this.n * height;
    const scale = Math.min(devicePixelRatio, 4096 / Math.max(w, h, 1));
    Object.assign(this.canvas, { width: Math.ceil(w * scale), height: Math.ceil(h * scale) });
    Object.assign(this.canvas.style, { left: `${sides.get(this)}px`, width: `${w}px`, height: `${h}px` });
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    Object.assign(pen, { textAlign: "center", textBaseline: "middle", font: `${numbers}px ${theme.font}` });
    const gap = width >= 8 && height >= 8 ? 1 : 0;
    for (let row = 0; row < this.n; row += 1) for (let col = 0; col < this.m; col += 1) {
      const x = col * width, y = row * height, masked = this.hidden(row, col), value = this.at(row, col);
      pen.fillStyle = masked ? theme.masked : theme.paint(value / limit, this.spec.scale, this.from0);
      pen.fillRect(x, y, width - gap, height - gap);
      if (masked || Number.isNaN(value)) { // one stroke a cell is a hatch at any size
        pen.strokeStyle = theme.hatch;
        pen.beginPath();
        pen.moveTo(x, y + height - gap);
        pen.lineTo(x + width - gap, y);
        pen.stroke();
      } else if (numbers) {
        pen.fillStyle = theme.text;
        pen.fillText(compact(value, this.digits), x + width / 2, y + height / 2 + 0.5);
      }
    }
    pen.strokeStyle = theme.line;
    pen.strokeRect(0.5, 0.5, w - 1, h - 1);
  }

  // Shows a mark over one cell, a whole row ({row}) or a whole column ({col}).
  mark(name, at) {
    const mark = this.marks[name];
    mark.hidden = !at || !this.size;
    if (mark.hidden) return;
    const { width, height } = this.size;
    const [row, rows] = at.row === undefined ? [0, this.n] : [at.row, 1];
    const [col, cols] = at.col === undefined ? [0, this.m] : [at.col, 1];
    mark.style.transform = `translate(${col * width}px, ${row * height}px)`;
    Object.assign(mark.style, { width: `${cols * width}px`, height: `${rows * height - 1}px` });
    mark.dataset.row = at.row ?? "all";
    mark.dataset.col = at.col ?? "all";
  }

  emphasise(row, col) {
    for (const head of this.emphasised) head.classList.remove("on");
    this.emphasised = [this.rowLabels[row], this.colLabels[col]].filter(Boolean);
    for (const head of this.emphasised) head.classList.add("on");
  }

  select(at) {
    this.selected?.setAttribute("aria-selected", "false");
    this.selected = at && (this.proxy || this.cells[at.row * this.m + at.col]);
    this.selected?.setAttribute("aria-selected", "true");
  }

  setCursor(row, col) {
    this.cells[this.cursor.row * this.m + this.cursor.col]?.setAttribute("tabindex", "-1");
    this.cursor = { row: Math.max(0, row), col: Math.max(0, col) };
    this.cells[this.cursor.row * this.m + this.cursor.col]?.setAttribute("tabindex", "0");
    if (this.proxy && this.n && this.m) this.proxy.textContent = this.spoken(this.cursor.row, this.cursor.col);
  }

  focusCell() {
    const { row, col } = this.cursor;
    (this.big ? this.grid : this.cells[row * this.m + col])?.focus({ preventScroll: true });
    if (this.big) this.view.live.textContent = this.spoken(row, col);
  }

  // ---- input ---------------------------------------------------------------------------

  // By coordinates, for elements and canvas alike; null beside the cells.
  hit(event) {
    const box = this.layer.getBoundingClientRect(); // of the screen: a page may be enlarged
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.n);
    const col = Math.floor(((event.clientX - box.left) / (box.width || 1)) * (this.m + 1 / this.size.width));
    const inside = row >= 0 && row < this.n && col >= 0 && col < this.m;
    return inside ? { panel: this.slot, row, col } : null;
  }

  listen() {
    const view = this.view;
    const hover = (cell) => {
      if (cell === view.hovered || sameCell(cell, view.hovered)) return;
      view.hovered = cell;
      view.point();
    };
    this.body.addEventListener("pointermove", (event) => hover(this.hit(event)));
    this.body.addEventListener("pointerleave", () => hover(null));
    this.body.addEventListener("click", (event) => {
      const cell = event.target.tagName === "INPUT" ? null : this.hit(event);
      if (!cell) return;
      const { toggle } = this.spec;
      view.select(this, cell.row, cell.col, { focus: true, send: !toggle });
      if (toggle) this.flip(cell.row, cell.col);
    });
    this.body.addEventListener("dblclick", (event) => {
      const cell = event.target.tagName === "INPUT" ? null : this.hit(event);
      if (cell && this.spec.editable && !this.spec.toggle) view.openEditor(this, cell.row, cell.col);
    });
    this.grid.addEventListener("focusin", (event) => {
      if (event.target.tagName === "INPUT") return;
      const at = this.cells.indexOf(event.target);
      if (at >= 0) this.setCursor(Math.floor(at / this.m), at % this.m);
      view.focused = { panel: this.slot, ...this.cursor };
      view.point();
    });
    this.grid.addEventListener("focusout", () => { view.focused = null; });
    this.grid.addEventListener("keydown", (event) => this.press(event));
    this.grid.addEventListener("paste", (event) => {
      if (!this.spec.editable) return;
      event.preventDefault();
      view.edit(this, this.cursor.row, this.cursor.col, event.clipboardData.getData("text/plain"));
    });
  }

  flip(row, col) {
    const now = Number(this.view.pending(this.slot, row, col) ?? this.at(row, col));
    this.view.edit(this, row, col, now ? "0" : "1");
  }

  press(event) {
    const { key } = event, { row, col } = this.cursor, { editable, toggle } = this.spec;
    const command = event.altKey || event.ctrlKey || event.metaKey;
    if (!this.n || !this.m || (command && key !== "Home" && key !== "End")) return;
    const last = { Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? this.n - 1 : row, this.m - 1] };
    const goal = ARROWS[key] ? [row + ARROWS[key][0], col + ARROWS[key][1]] : last[key];
    if (goal) {
      const clamp = (value, count) => Math.max(0, Math.min(count - 1, value));
      this.view.select(this, clamp(goal[0], this.n), clamp(goal[1], this.m), { focus: true });
      const cell = this.cells[this.cursor.row * this.m + this.cursor.col] || this.marks.ring;
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (toggle && (key === "Enter" || key === " ")) this.flip(row, col);
    else if (editable && !toggle && key === "Enter") this.view.openEditor(this, row, col);
    else if (editable && !toggle && /^[-+.\d]$/.test(key)) this.view.openEditor(this, row, col, key);
    else if (key === "Enter" || key === " ") this.view.select(this, row, col);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// ---- numbers ---------------------------------------------------------------------------

// As short as a cell needs: .52, −.5, 1, 0, 12.3, 2e7. A number that only rounds to zero is .00.
// Half a digit is one decimal less from 1 on: 1.5 gives −.52 and −1.2, which are equally wide.
function compact(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value), sign = value < 0 ? MINUS : "";
  if (size === Infinity) return `${sign}∞`;
  if (size === 0) return "0";
  if (size >= 1e5) return sign + size.toExponential(0).replace("e+", "e");
  const places = size < 1 ? Math.ceil(digits) : Math.floor(digits) - Math.floor(Math.log10(size));
  const text = size.toFixed(Math.max(0, places));
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return sign + (short === "0" ? text : short).replace(/^0(?=\.)/, "");
}

function exact(value, dtype, most = 15) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return compact(value, 0);
  return String(Number(value.toPrecision(Math.min(most, dtype === "<f4" ? 7 : 15)))); // no noise
}

function rounded(value, digits) {
  return Number.isFinite(value) ? String(Number(value.toFixed(Math.max(2, digits)))) : compact(value, 0);
}

function bytes(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function sameCell(one, other) {
  return Boolean(one && other) && one.panel === other.panel && one.row === other.row && one.col === other.col;
}

function isBlock(text) {
  return /[\t\n\r]/.test(text);
}

// ---- elements and colours --------------------------------------------------------------

// The colour scales of panels: whose they are, and what stands at their beginning, middle and end.
// A grey one begins at 0 where nothing is below.
function scaleBars(panels, grey = false) {
  const bars = new Map();
  for (const { from0, spec: { name, scale, limit } } of panels) {
    if (scale === "plain") continue;
    const up = grey && from0 && scale !== "weights", end = compact(limit, 2);
    const ends = scale === "weights" ? ["0", "", "1"] : up ? ["0", "", end] : [MINUS + end, "0", end];
    const key = scale === "weights" ? scale : `${limit}${up ? " up" : ""}`;
    bars.set(key, { scale, up, ends, names: [...(bars.get(key)?.names || []), name] });
  }
  return [...bars.values()];
}

function px(value) {
  return `${value}px`;
}

function element(tag, className = "", parent = null, attributes = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent?.append(made);
  return made;
}

// Labels come from the person's own words: text only, in their own direction. A long one is cut
// before its position, so that equal words stay apart.
function label(className, role, text) {
  const made = element("span", className, null, { role, dir: "auto", "aria-label": text });
  const [, word, position] = text.match(/^(.*?)(·\d+)?$/s);
  element("span", "word", made).textContent = word;
  if (position) element("span", "", made).textContent = position;
  made.title = text;
  return made;
}

const context = document.createElement("canvas").getContext("2d");
const widths = new Map();

// Measures text in a font; the same few texts are measured again and again.
function ruler(font) {
  return (text) => {
    const key = `${font}|${text}`;
    if (!widths.has(key)) {
      if (widths.size > 5000) widths.clear();
      context.font = font;
      widths.set(key, context.measureText(text).width);
    }
    return widths.get(key);
  };
}

function longest(labels, font) {
  const width = ruler(font);
  return labels.reduce((most, text) => Math.max(most, width(text)), 0);
}

// Colours are a hue over the page's background. Each hue is only as strong as the theme's own
// text stays readable on it (4.5 : 1), in light, dark and any theme between. A grey look knows one
// hue, the text's own, and what is larger has more of it.
function readTheme(root, look = {}) {
  const style = getComputedStyle(root);
  const channels = (color) => (color.match(/[\d.]+/g) || [0, 0, 0]).slice(0, 3).map(Number);
  context.fillStyle = style.getPropertyValue("--st-background-color").trim() || "#fff";
  const hex = context.fillStyle; // a canvas gives any opaque colour back as #rrggbb
  const back = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const text = channels(style.color);
  const caps = {}, grey = Boolean(look.grey);
  const hues = grey ? { positive: text, negative: text, weights: text } : { ...HUES, ...look.hues };
  for (const [name, hue] of Object.entries(hues)) {
    const blend = (alpha) => hue.map((channel, i) => channel * alpha + back[i] * (1 - alpha));
    caps[name] = 0.85;
    while (caps[name] > 0.3 && contrast(text, blend(caps[name])) < 4.6) caps[name] -= 0.01;
  }
  return {
    key: JSON.stringify([caps, text, back, hues, style.getPropertyValue("--least-font")]),
    grey,
    font: style.fontFamily,
    least: parseFloat(style.getPropertyValue("--least-font")) || 0,
    text: style.color,
    line: `rgb(${text.join(" ")} / .2)`,
    masked: grey ? "transparent" : "rgb(128 128 128 / .18)",
    hatch: grey ? `rgb(${text.join(" ")} / .6)` : "rgb(128 128 128 / .55)",
    // `part` of the limit, −1 … 1, as a colour; `from0` where nothing is below 0.
    paint: (part, scale, from0 = false) => {
      if (scale === "plain") return "transparent";
      const name = scale === "weights" ? "weights" : part < 0 ? "negative" : "positive";
      const most = Math.max(-1, Math.min(1, part || 0));
      const strength = scale === "weights" || (grey && from0) ? Math.max(0, most)
        : grey ? (most + 1) / 2 : Math.abs(most);
      return `rgb(${hues[name].join(" ")} / ${(strength * caps[name]).toFixed(3)})`;
    },
  };
}

function contrast(one, other) {
  const luminance = (rgb) => rgb
    .map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
