/* Tables whose rows are in the page: a click on a header's button sorts by the cells' data-value. */
const collator = new Intl.Collator("zh", {numeric: true});

function compare(a, b) {
    if (a === b) return 0;
    if (a === null || a === "") return 1;  // what is not known comes last, whichever way
    if (b === null || b === "") return -1;
    return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b);
}

function directed(a, b, down) {
    const known = x => x !== null && x !== "";
    return down && known(a) && known(b) ? compare(b, a) : compare(a, b);
}

/* Which way the next click on a header goes; numbers begin with the largest. Marks the header for screen readers. */
function turn(header) {
    const before = header.getAttribute("aria-sort");
    const first = header.dataset.first || "ascending";
    const next = before === "ascending" ? "descending" : before === "descending" ? "ascending" : first;
    for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", next);
    return next === "descending";
}

function valueOf(row, column) {
    const cell = row.children[column], value = cell.dataset.value;
    return value === undefined ? cell.textContent.trim() : value === "" ? null : Number(value);
}

for (const table of document.querySelectorAll("table.sortable"))
    for (const button of table.querySelectorAll("thead button"))
        button.addEventListener("click", () => {
            const header = button.closest("th"), body = table.tBodies[0];
            const column = [...header.parentElement.children].indexOf(header), down = turn(header);
            const rows = [...body.rows].map((row, place) => ({row, place, value: valueOf(row, column)}));
            rows.sort((a, b) => directed(a.value, b.value, down) || a.place - b.place);
            body.append(...rows.map(one => one.row));
        });
