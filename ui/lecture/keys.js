// Keys of a lecture, presenter remotes included (they send Page Up, Page Down and "." or "b").
// Steps press the page's own buttons. Moves of the pinned pair are sent as sums since the page was
// opened, so that messages which Streamlit merges lose nothing.

const STEPS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back" };
const MOVES = { ArrowUp: ["query", -1], ArrowDown: ["query", 1] };
const SHIFTED = { ...MOVES, ArrowLeft: ["key", -1], ArrowRight: ["key", 1] };
const OWN_ARROWS = "input, textarea, select, [contenteditable], [role=slider], [role=grid], [role=radiogroup], [role=application]";
// Steps wait here while a page answers: one that overtakes the turn of a page would break it.
const queue = (globalThis.attentionSteps ??= { steps: [], timer: 0 });
const MOST = 12, REST = 250; // steps that wait; ms until a pressed button is seen to be at work
const sum = { client: Math.random().toString(36).slice(2), query: 0, key: 0, head: null, heads: 0 };

function work() {
  queue.timer = 0;
  if (!queue.steps.length) return;
  const rests = document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]');
  if (rests) document.querySelector(`.st-key-lecture-${queue.steps.shift()} button`)?.click();
  queue.timer = setTimeout(work, rests ? REST : 50);
}

export default function keys({ setStateValue }) {
  const tell = () => setStateValue("moved", { ...sum });
  const listen = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.querySelector("[role=dialog]")) return;
    const dark = document.documentElement.classList;
    if (dark.contains("lecture-dark")) { // any key brings the light back, and does nothing else
      dark.remove("lecture-dark");
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const [at] = event.composedPath();
    const paging = event.key.startsWith("Page"); // a remote's keys work wherever the focus is
    if (!paging && at.closest?.(OWN_ARROWS)) return;
    const move = (event.shiftKey ? SHIFTED : MOVES)[event.key];
    const step = !event.shiftKey && STEPS[event.key];
    if (move) {
      sum[move[0]] += move[1];
      tell();
    } else if (step) {
      if (!event.repeat && queue.steps.length < MOST) queue.steps.push(step);
      if (!queue.timer) work();
    } else if (/^[0-9]$/.test(event.key) && !at.closest?.("button")) {
      sum.head = Number(event.key);
      sum.heads += 1;
      tell();
    } else if (["o", "O"].includes(event.key)) {
      document.querySelector(".st-key-lecture-overview button")?.click();
    } else if ([".", "b", "B"].includes(event.key)) {
      dark.add("lecture-dark");
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("keydown", listen, { capture: true });
  return () => {
    removeEventListener("keydown", listen, { capture: true });
    document.documentElement.classList.remove("lecture-dark");
  };
}
