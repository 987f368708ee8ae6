/* The heat map: a canvas, since 5,000 x 98 elements would be half a million; the keys move a cell, which is spoken. */
const MAP_ROWS = 300, MAP_HEIGHT = 560, CELL_WIDTH = 10, HEAD = 18;
const WORST = ["skipped", "passed", "carried", "blocked", "failed", "error"];
const map = byId("map"), paper = map.getContext("2d"), cursor = {row: 0, column: 0, on: false};
/* Advice costs nothing and has no column. */
const mapChecks = data.checks.map(([id, advice], place) => ({id, advice, place})).filter(one => !one.advice);
let mapRows = [], rowHeight = 1;

function drawMap() {
    const graded = view.found.filter(one => one.state === "graded");
    graded.sort((a, b) => b.score - a.score || (a.outcomes < b.outcomes ? -1 : a.outcomes > b.outcomes ? 1 : 0));
    const count = Math.min(graded.length, MAP_ROWS);
    mapRows = Array.from({length: count}, (_, row) =>
        graded.slice(Math.floor(row * graded.length / count), Math.floor((row + 1) * graded.length / count)));
    rowHeight = count ? Math.max(2, Math.min(16, Math.floor(MAP_HEIGHT / count))) : 16;
    cursor.row = Math.min(cursor.row, Math.max(0, count - 1));
    paint();
}

function paint() {
    const style = getComputedStyle(document.documentElement), columns = mapChecks.length;
    map.width = columns * CELL_WIDTH;
    map.height = HEAD + Math.max(1, mapRows.length) * rowHeight;
    const colours = Object.fromEntries(WORST.map(group => [group, style.getPropertyValue(`--map-${group}`).trim()]));
    const ink = style.getPropertyValue("--ink").trim();
    mapRows.forEach((group, row) => {
        for (let column = 0; column < columns; column++) {
            const outcomes = outcomesOf(group, mapChecks[column].place);
            if (!outcomes.length) continue;
            const bad = outcomes.filter(isBadGroup), rest = outcomes.filter(one => !isBadGroup(one));
            for (const [colour, share] of [[worstOf(rest), 1], [worstOf(bad), bad.length / outcomes.length]]) {
                if (!colour || !share) continue;
                paper.globalAlpha = Math.max(share, 0.12);  // one among many is still seen
                paper.fillStyle = colours[colour];
                paper.fillRect(column * CELL_WIDTH, HEAD + row * rowHeight, CELL_WIDTH - 1, rowHeight > 3 ? rowHeight - 1 : rowHeight);
            }
            paper.globalAlpha = 1;
        }
    });
    paper.fillStyle = ink;
    paper.font = "12px system-ui, sans-serif";
    let from = 0;
    mapChecks.forEach(({id}, column) => {
        const area = id.split(".")[0], next = mapChecks[column + 1];
        if (next && next.id.split(".")[0] === area) return;
        const room = (column + 1 - from) * CELL_WIDTH;
        if (paper.measureText(area).width < room) paper.fillText(area, from * CELL_WIDTH, 12);
        paper.fillRect((column + 1) * CELL_WIDTH - 1, 0, 1, map.height);
        from = column + 1;
    });
    if (cursor.on && mapRows.length) {
        paper.strokeStyle = ink;
        paper.lineWidth = 2;
        paper.strokeRect(cursor.column * CELL_WIDTH - 1, HEAD + cursor.row * rowHeight - 1, CELL_WIDTH + 1, rowHeight + 2);
    }
}

const isBadGroup = group => group === "failed" || group === "blocked" || group === "error";

function outcomesOf(group, place) {
    return group.map(one => data.outcomes[one.outcomes[place]]).filter(Boolean).map(outcome => outcome.group);
}

function worstOf(groups) {
    return WORST[Math.max(-1, ...groups.map(group => WORST.indexOf(group)))];
}

function say(row, column) {
    const group = mapRows[row], check = mapChecks[column];
    if (!group || !check) return;
    const bad = outcomesOf(group, check.place).filter(isBadGroup).length;
    const first = group[0], name = first.name ? `${first.id} ${first.name}` : first.id;
    const who = group.length > 1 ? `${name} ... ${group[group.length - 1].id}` : name;
    const outcome = group.length > 1 ? filled("of_them", {count: bad, total: group.length}) : data.outcomes[first.outcomes[check.place]];
    byId("map-says").replaceChildren(`${who}, `, make("code", {}, check.id), ": ", outcome ? both(outcome) : "-");
}

function cellAt(event) {
    const box = map.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * mapChecks.length);
    const row = Math.floor(((event.clientY - box.top) / box.height * map.height - HEAD) / rowHeight);
    return row >= 0 && row < mapRows.length && column >= 0 ? {row, column} : null;
}

const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-10, 0], PageDown: [10, 0]};
map.addEventListener("keydown", event => {
    if (event.key === "Enter" && mapRows[cursor.row]) {
        event.preventDefault();
        show({search: mapRows[cursor.row][0].id});
        return;
    }
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    cursor.row = Math.min(Math.max(0, cursor.row + step[0]), Math.max(0, mapRows.length - 1));
    cursor.column = Math.min(Math.max(0, cursor.column + step[1]), mapChecks.length - 1);
    paint();
    say(cursor.row, cursor.column);
});
map.addEventListener("focus", () => { cursor.on = true; paint(); say(cursor.row, cursor.column); });
map.addEventListener("blur", () => { cursor.on = false; paint(); });
map.addEventListener("pointermove", event => { const at = cellAt(event); if (at) say(at.row, at.column); });
map.addEventListener("click", event => { const at = cellAt(event); if (at) show({search: mapRows[at.row][0].id}); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
