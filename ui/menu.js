// On a phone Streamlit's menu covers the page, and stays when a page has been chosen from it.

const NARROW = 768; // px; Streamlit puts the menu beside the page from here on

export default function menu() {
  const close = (event) => {
    if (innerWidth >= NARROW || !event.target.closest?.("[data-testid=stSidebarNavLink]")) return;
    document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  };
  addEventListener("click", close);
  return () => removeEventListener("click", close);
}
