// All that is sent with every matrix: hands it to the code that the page mounted once (matrix.js).

export default function mount(component) {
  if (globalThis.attentionMatrix) return globalThis.attentionMatrix(component);
  let unmount = null, gone = false;
  addEventListener("attention-matrix", () => {
    if (!gone) unmount = globalThis.attentionMatrix(component);
  }, { once: true });
  return () => {
    gone = true;
    unmount?.();
  };
}
