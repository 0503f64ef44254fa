// What Streamlit leaves open. On a phone its menu covers the page, and stays when a page has been
// chosen from it. A dialog hears Escape only while it has the focus, which it loses by a download.

const NARROW = 768; // px; Streamlit puts the menu beside the page from here on

function chosen({ target }) {
  if (innerWidth >= NARROW || !target.closest?.("[data-testid=stSidebarNavLink]")) return;
  document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
}

function escaped({ key }) {
  if (key !== "Escape" || document.activeElement !== document.body) return;
  document.querySelector("[role=dialog] button[aria-label=Close]")?.click();
}

export default function closing() {
  addEventListener("click", chosen);
  addEventListener("keydown", escaped);
  return () => {
    removeEventListener("click", chosen);
    removeEventListener("keydown", escaped);
  };
}
