// Pointing at a cell of a matrix tells its number and lights what it was made from, as in the app.

for (const product of document.querySelectorAll(".product")) {
  const rows = (slot) => [...(product.querySelector(`table[data-slot=${slot}]`)?.rows ?? [])].slice(1);
  const lightRow = (slot, i) => [...(rows(slot)[i]?.cells ?? [])].slice(1).forEach((cell) => cell.classList.add("lit"));
  const lightColumn = (slot, j) => rows(slot).forEach((row) => row.cells[j].classList.add("lit-column"));
  product.addEventListener("pointerover", ({ target }) => {
    const cell = target.closest("td:not(.corner)");
    if (!cell) return;
    for (const name of ["lit", "lit-column", "at"]) {
      for (const one of product.querySelectorAll(`.${name}`)) one.classList.remove(name);
    }
    const { slot, name } = cell.closest("table").dataset;
    const row = cell.parentElement, i = row.rowIndex - 1, j = cell.cellIndex;
    cell.classList.add("at");
    if (slot === "product") { lightRow("left", i); lightColumn("right", j); }
    if (slot === "left") lightRow("product", i);
    if (slot === "right") lightColumn("product", j);
    const labels = [row.cells[0], cell.closest("table").rows[0].cells[j]].map((head) => head.textContent);
    const value = cell.classList.contains("m") ? product.dataset.masked : cell.dataset.v ?? cell.textContent;
    product.querySelector(".readout").textContent = `${name}[${labels.join(", ")}] = ${value}`;
  });
}
