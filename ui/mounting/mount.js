// All that is sent with every change: hands it to the code that the page mounted once (install.js).

export default function mount(component) {
  if (globalThis["attention-NAME"]) return globalThis["attention-NAME"](component);
  let unmount = null, gone = false;
  addEventListener("attention-NAME", () => {
    if (!gone) unmount = globalThis["attention-NAME"](component);
  }, { once: true });
  return () => {
    gone = true;
    unmount?.();
  };
}
