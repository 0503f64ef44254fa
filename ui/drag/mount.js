// All that is sent with every change: hands it to the code that the page mounted once (drag.js).

export default function mount(component) {
  if (globalThis.attentionDrag) return globalThis.attentionDrag(component);
  let unmount = null, gone = false;
  addEventListener("attention-drag", () => {
    if (!gone) unmount = globalThis.attentionDrag(component);
  }, { once: true });
  return () => {
    gone = true;
    unmount?.();
  };
}
