// Stands before the code of a component, which defines its View: constructor(host), update(component)
// that returns its turn, destroy(). A View adopts the styles.

const views = new WeakMap();
const styles = new CSSStyleSheet();

// Mounted once a page; the small mount.js of each component then finds the code here.
export default function install({ data }) {
  styles.replaceSync(data.css);
  globalThis["attention-NAME"] = render;
  dispatchEvent(new Event("attention-NAME"));
}

function render(component) {
  const host = component.parentElement;
  if (!views.has(host)) views.set(host, new View(host));
  const view = views.get(host);
  const turn = view.update(component);
  // Streamlit may run the cleanup of an overtaken call late: only the newest may take the view down.
  return () => {
    if (view.turn !== turn) return;
    view.destroy();
    views.delete(host);
  };
}

