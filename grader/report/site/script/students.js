/* The table of submissions: filters, order, and one page of rows at a time. */
const STATES = ["graded", "infrastructure", "unreadable", "missing"];
const PER_PAGE = 50, SHOWN_CHECKS = 6;
const students = data.students.map(([id, name, group, score, state, outcomes, mistakes, seconds, page, late, unnamed, said]) => ({
    id, name, group, score, state: STATES[state], outcomes, mistakes, seconds, page, late, unnamed, said,
    text: `${id} ${name} ${group}`.toLowerCase(),
    failed: data.checks.map((check, place) => place).filter(place => isBad(outcomes[place], place)),
}));
const view = {found: students, page: 0, key: "id", down: false};
const KEYS = {
    id: one => one.id, name: one => one.name, group: one => one.group, score: one => one.score,
    state: one => STATES.indexOf(one.state), mistakes: one => one.state === "graded" ? one.mistakes.length : null,
    failed: one => one.state === "graded" ? one.failed.length : null, seconds: one => one.seconds,
};
const fields = ["search", "state", "check", "mistake", "low", "high"];
const field = name => byId(`filter-${name}`);

function isBad(letter, place) {
    const outcome = data.outcomes[letter];
    return Boolean(outcome) && !data.checks[place][1] && ["failed", "blocked", "error"].includes(outcome.group);
}

function wanted() {
    const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const state = field("state").value, check = field("check").value, mistake = field("mistake").value;
    const low = field("low").value, high = field("high").value;
    return one => words.every(word => one.text.includes(word))
        && (!state || one.state === state || (state === "unnamed" && one.unnamed) || (state === "noted" && one.said.length > 0))
        && (!check || isWrong(one.outcomes[Number(check)]))
        && (!mistake || one.mistakes.includes(Number(mistake)))
        && (low === "" || (one.score !== null && one.score >= Number(low)))
        && (high === "" || (one.score !== null && one.score <= Number(high)));
}

function isWrong(letter) {
    const outcome = data.outcomes[letter];
    return Boolean(outcome) && ["failed", "blocked", "error"].includes(outcome.group);
}

function refresh() {
    const key = KEYS[view.key];
    view.found = students.filter(wanted());
    view.found.sort((a, b) => directed(key(a), key(b), view.down) || compare(a.id, b.id));
    view.page = 0;
    draw();
    drawMap();
}

function draw() {
    const pages = Math.max(1, Math.ceil(view.found.length / PER_PAGE));
    view.page = Math.min(Math.max(0, view.page), pages - 1);
    const from = view.page * PER_PAGE;
    const table = byId("students");
    table.setAttribute("aria-rowcount", view.found.length + 1);
    table.tBodies[0].replaceChildren(
        ...view.found.slice(from, from + PER_PAGE).map((one, place) => rowOf(one, from + place + 2)));
    byId("found").replaceChildren(both(filled("found", {count: view.found.length, total: students.length})));
    byId("page").replaceChildren(both(filled("page_of", {page: view.page + 1, pages})));
    byId("previous").disabled = view.page === 0;
    byId("next").disabled = view.page === pages - 1;
    relabel(table);
}

function rowOf(one, number) {
    const row = make("tr", {"aria-rowindex": number});
    const head = make("th", {scope: "row"});
    head.append(one.page ? make("a", {href: one.page}, one.id) : one.id);
    const state = make("td");
    state.append(both(data.words[`state_${one.state}`]));
    if (one.late) state.append(" (", both(data.words.late), ")");
    for (const said of one.said) {
        const note = make("span", {class: "dim block"});
        note.append(both(said));
        state.append(note);
    }
    row.append(head, make("td", {}, one.name), make("td", {}, one.group),
        make("td", {class: "points"}, one.score === null ? "" : String(one.score)), state,
        namesOf(one.mistakes.map(place => data.mistakes[place])),
        checksOf(one), make("td", {class: "points"}, one.seconds ? one.seconds.toFixed(1) : ""));
    return row;
}

function namesOf(mistakes) {
    const cell = make("td");
    for (const one of mistakes)
        cell.append(make("code", {class: "one", "data-en": one.en, "data-zh": one.zh, "data-as": "title"}, one.id), " ");
    return cell;
}

/* With spaces between, for who copies or listens. */
const codes = names => names.flatMap(name => [make("code", {class: "one"}, name), " "]);

function checksOf(one) {
    const cell = make("td"), names = one.failed.map(place => data.checks[place][0]);
    const shown = names.slice(0, SHOWN_CHECKS), rest = names.slice(SHOWN_CHECKS);
    cell.append(...codes(shown));
    if (rest.length) {
        const more = make("details", {}, make("summary", {}, `+${rest.length}`));
        more.append(...codes(rest));
        cell.append(more);
    }
    return cell;
}

/* Sets some filters and clears the others: from a mistake, a check, or the map. */
function show(values) {
    for (const name of fields) field(name).value = values[name] ?? "";
    refresh();
    byId("table").scrollIntoView();
    byId("table").focus({preventScroll: true});
}
