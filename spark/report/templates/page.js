"use strict";
// Tables that people may sort and filter, by mouse or keyboard. Nothing is fetched.
for (const table of document.querySelectorAll("table[data-sorted]")) {
  const body = table.tBodies[0];
  const rank = { critical: 0, warning: 1, info: 2 };
  const value = (row, at) => {
    const text = row.cells[at].textContent;
    if (text in rank) return rank[text];
    const number = Number(text.replace(/[,\s]/g, ""));
    return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  const order = (a, b) =>
    typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => order(value(a, at), value(b, at)));
      body.append(...(down ? rows.reverse() : rows));
    });
  });
  const figure = table.closest("figure");
  const input = figure.querySelector("[data-filter]");
  const told = figure.querySelector("output");
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    let shown = 0;
    for (const row of body.rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    told.textContent = wanted ? `${shown} of ${body.rows.length} rows` : "";
  });
}
