"use strict";
document.documentElement.classList.add("js");

// Sorting: a click on a head sorts its table's rows by their data-v, numbers before words, the missing last.
function compare(a, b) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const x = Number(a), y = Number(b);
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
}
function sort(button) {
  const head = button.closest("th"), table = head.closest("table"), body = table.tBodies[table.tBodies.length - 1];
  const column = [...head.parentNode.children].indexOf(head);
  const first = head.dataset.first === "descending" ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  for (const th of head.parentNode.children) th.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const turn = order === "ascending" ? 1 : -1;
  const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
  const rows = [...body.rows].map(row => [key(row), row]);
  rows.sort(([a], [b]) => (a === "" || b === "") ? compare(a, b) : turn * compare(a, b));
  body.append(...rows.map(([, row]) => row));
}

// Filtering: controls in a [data-filter] form show those of its target's entries that match them all.
function filter(form) {
  const entries = document.getElementById(form.dataset.filter).querySelectorAll("[data-entry]");
  const words = (form.querySelector("input")?.value ?? "").trim().toLowerCase();
  const picked = [...form.querySelectorAll("select")].filter(select => select.value !== "");
  let shown = 0;
  for (const entry of entries) {
    const fits = picked.every(select => entry.dataset[select.name] === select.value)
      && (words === "" || entry.textContent.toLowerCase().includes(words));
    entry.hidden = !fits;
    shown += fits;
  }
  form.querySelector("output").textContent = `${shown} of ${entries.length} shown`;
}

for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => sort(button));
for (const form of document.querySelectorAll("form[data-filter]")) {
  form.hidden = false;
  form.addEventListener("input", () => filter(form));
  form.addEventListener("submit", event => event.preventDefault());
  filter(form);
}
// A link into a closed part opens it; print shows all parts.
function open() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", open);
open();
