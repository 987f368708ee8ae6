"use strict";
/* Both languages stand in the page, and its style shows one; attributes and options can hold one only. */
const data = JSON.parse(document.getElementById("data").textContent);
const LANGUAGES = ["en", "zh"];
const language = () => document.getElementById("show-zh").checked ? "zh" : "en";
const byId = id => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);  // strings become text, never markup
    return element;
}

function both(said) {
    const spans = LANGUAGES.map(one => make("span", {class: one, lang: one}, said[one]));
    const group = document.createDocumentFragment();
    group.append(...spans);
    return group;
}

function filled(word, values) {
    const put = text => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
    return {en: put(data.words[word].en), zh: put(data.words[word].zh)};
}

/* data-en and data-zh hold an attribute's or an option's words: data-as says which attribute. */
function relabel(root = document) {
    const now = language();
    document.documentElement.lang = now;
    for (const element of root.querySelectorAll("[data-en]")) {
        const words = element.dataset[now];
        if (element.dataset.as) element.setAttribute(element.dataset.as, words);
        else element.textContent = words;
    }
}
