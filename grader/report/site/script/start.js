for (const name of fields)
    field(name).addEventListener(name === "search" || name === "low" || name === "high" ? "input" : "change", refresh);
byId("filters").addEventListener("submit", event => event.preventDefault());
byId("reset").addEventListener("click", () => { for (const name of fields) field(name).value = ""; refresh(); });
byId("previous").addEventListener("click", () => { view.page -= 1; draw(); });
byId("next").addEventListener("click", () => { view.page += 1; draw(); });
for (const button of document.querySelectorAll("#students thead button"))
    button.addEventListener("click", () => {
        const header = button.closest("th");
        view.key = header.dataset.key;
        view.down = turn(header);
        refresh();
    });
for (const button of document.querySelectorAll("button[data-filter]"))
    button.addEventListener("click", () => show({[button.dataset.filter]: button.dataset.to}));
for (const one of LANGUAGES) byId(`show-${one}`).addEventListener("change", () => relabel());
relabel();
refresh();
document.documentElement.dataset.ready = "yes";
