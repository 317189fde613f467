"use strict";
// The browser of items. What is shown stands in the address (#browse?benchmark=…&item=…), words come into the page as text alone.
(() => {
  const section = document.getElementById("browse");
  if (!section) return;
  const one = name => document.getElementById(`browse-${name}`);
  const form = one("form"), list = one("list"), view = one("one"), told = form.querySelector("output");
  const SIGNS = ["✓", "✗", "✗", "?", "–", "…", "·"], PAGE = 25, ASIDE = "not counted", FIELDS = ["benchmark", "model", "answer", "change", "place", "group", "judge", "q"];
  let data, parts, said, limit = PAGE, kept = [];

  async function unpacked(element) {
    const bytes = Uint8Array.from(atob(element.textContent), letter => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }
  function made(tag, text, className) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  // Address: what is filtered and which item is open; of two runs the changed items are shown first.
  const asked = () => new URLSearchParams(location.hash.startsWith("#browse?") ? location.hash.slice("#browse?".length) : data.begin);
  function address(changes) {
    const now = asked();
    for (const [name, value] of Object.entries(changes)) if (value === "") now.delete(name); else now.set(name, value);
    return `#browse?${now}`;
  }

  // Filters: marks of results and kinds first, then answers, then items; words last, as they cost most.
  function filtered(wanted) {
    const { items, answers, results, kinds } = data, [ofItem, ofResult, , ofKind] = answers;
    const fits = results.map(r => (!wanted.benchmark || r.benchmark === wanted.benchmark)
      && (!wanted.model || r.model === wanted.model) && (!wanted.judge || r.judges.includes(wanted.judge)));
    const kind = wanted.answer ? kinds.indexOf(wanted.answer) : -1, not = wanted.answer === "not right", cut = wanted.answer === "cut";
    const marked = new Uint8Array(items.id.length);
    if (wanted.answer === ASIDE) data.aside.forEach(n => { marked[n] = !wanted.benchmark || wanted.benchmark === items.benchmark[n]; });
    else for (let n = 0; n < ofItem.length; n++) {
      if (fits[ofResult[n]] && (cut ? data.isCut.has(n) : not ? ofKind[n] > 0 && ofKind[n] < 6 : !wanted.answer || ofKind[n] === kind)) marked[ofItem[n]] = 1;
    }
    const place = data.places.findIndex(([code]) => code === wanted.place), group = data.groups.findIndex(([code]) => code === wanted.group);
    const changed = wanted.change && data.changes ? changedSo(wanted.change, fits) : null;
    const words = wanted.q.trim().toLowerCase(), found = [];
    for (let n = 0; n < marked.length; n++) {
      if (marked[n] && (!changed || changed.has(n)) && (!wanted.place || items.place[n] === place) && (!wanted.group || items.groups[n].includes(group))
        && (!words || said[n].includes(words))) found.push(n);
    }
    return found;
  }

  // Of two runs: the items that went another way in B, or two ways in one of them.
  function changedSo(name, fits = []) {
    const { kinds, rows } = data.changes, codes = name === "changed" ? [0, 1] : [kinds.indexOf(name)];
    return new Set(rows.filter(([, result, code]) => codes.includes(code) && fits[result] !== false).map(([item]) => item));
  }

  // Words: parts are unpacked when an item of theirs is opened, all of them for a search.
  async function part(number) { return (parts[number].held ??= await unpacked(parts[number].element)); }
  async function playsOf(item) {
    for (let n = 0; n < parts.length; n++) {
      const held = await part(n), plays = held.items[item];
      if (plays) return { plays, words: held.words };
    }
    return null;
  }
  async function readAll() {
    if (said) return;
    const found = data.items.id.map((id, n) => `${id} ${data.items.title[n]} ${data.places[data.items.place[n]][1]}`.toLowerCase());
    for (let n = 0; n < parts.length; n++) {
      const held = await part(n), low = held.words.map(word => word.toLowerCase());
      for (const [item, plays] of Object.entries(held.items)) {
        const codes = new Set(plays.flatMap(([, , lines, remarks]) => [...lines.map(line => line[1]), ...remarks.flatMap(r => [r[2], r[4]])]));
        found[item] += [...codes].map(code => "\n" + low[code]).join("");
      }
    }
    said = found;
  }

  // The list: a line an item, a mark for each model's answers.
  function answersOf(item) {
    const [ofItem, ofResult, ofSample, ofKind] = data.answers, found = new Map();
    for (let n = data.first[item]; n < ofItem.length && ofItem[n] === item; n++) {
      const key = `${ofResult[n]}/${ofSample[n]}`;
      if (!found.has(key)) found.set(key, { result: ofResult[n], sample: ofSample[n], kinds: [], cut: data.isCut.has(n) });
      found.get(key).kinds.push(ofKind[n]);
    }
    return [...found.values()];
  }
  function chip(kinds, whose = "") {
    const right = kinds.filter(kind => kind === 0).length, worst = Math.max(...kinds.map(kind => kind % 6));
    const kind = kinds.length > 1 ? `${right} of ${kinds.length} right` : data.kinds[kinds[0]];
    const found = made("span", whose + kind, `chip kind${worst}`);
    found.dataset.sign = SIGNS[kinds.length > 1 ? worst : kinds[0]];
    return found;
  }
  function chips(item) {
    const box = made("span", undefined, "chips"), alone = new Set(data.results.map(r => r.model)).size < 2;
    if (data.unstable.has(item)) box.append(made("span", "unstable", "tag"));
    if (data.aside.has(item)) box.append(made("span", ASIDE, "tag"));
    for (const { result, kinds, cut } of answersOf(item)) {
      box.append(chip(kinds, alone ? "" : `${data.results[result].model}: `));
      if (cut) box.append(made("span", "cut", "tag"));
    }
    return box;
  }
  // Words in another language are read out, and their letters chosen, by its tag; their direction follows from the letters.
  const languageOf = item => (data.items.groups[item].map(n => data.groups[n][0]).find(code => code.startsWith("language:")) ?? "").slice(9);
  const SCRIPTS = { Hans: "Han", Hant: "Han", Jpan: "Han}\\p{Script=Hira}\\p{Script=Kana", Kore: "Hang" };
  // An answer in other letters than those of the language asked in is in no language that the page could name.
  function isIn(text, language) {
    const { script } = new Intl.Locale(language).maximize();
    return !script || script === "Latn" || new RegExp(`[\\p{Script=${SCRIPTS[script] ?? script}}]`, "u").test(text);
  }
  const nameOf = item => data.items.title[item] || data.items.id[item];
  function linkTo(item) {
    const link = made("a", nameOf(item));
    link.href = address({ item: data.items.id[item], of: data.items.benchmark[item] });
    link.dir = "auto";
    if (languageOf(item)) link.lang = languageOf(item);
    return link;
  }
  function line(item) {
    const entry = made("li");
    entry.append(made("span", data.places[data.items.place[item]][1], "where"), linkTo(item), chips(item));
    return entry;
  }
  function showList() {
    const ol = made("ol", undefined, "rows");
    ol.append(...kept.slice(0, limit).map(line));
    list.replaceChildren(ol);
    if (kept.length > limit) {
      const more = made("button", `Show ${Math.min(PAGE, kept.length - limit)} more of ${kept.length - limit}`);
      more.type = "button";
      more.addEventListener("click", () => { limit += PAGE; showList(); });
      list.append(more);
    }
  }

  // One item: all models side by side, what judges found beside the words, then items on the same thing.
  function pre(text, query, language = "") {
    const box = made("pre"), low = text.toLowerCase();
    box.dir = "auto";
    if (language && isIn(text, language)) box.lang = language;
    if (!text.trim()) box.className = "empty";
    let from = 0;
    for (let at = query ? low.indexOf(query) : -1; at >= 0; at = low.indexOf(query, from)) {
      box.append(text.slice(from, at), made("mark", text.slice(at, at + query.length)));
      from = at + query.length;
    }
    box.append(text.slice(from));
    return box;
  }
  function spoken([who, text, hash], words, query, language = "") {
    const box = made("div"), head = made("p", words[who], "speaker");
    if (words[hash]) head.append(made("span", ` · prompt ${words[hash]}`, "asked"));
    if (!words[who].startsWith("told to")) { box.append(head, pre(words[text], query, language)); return box; }
    const brief = made("details"), summary = made("summary");
    summary.append(...head.childNodes);
    brief.append(summary, pre(words[text], query, language));
    brief.open = query !== "" && words[text].toLowerCase().includes(query);
    return brief;
  }
  function remark([task, part, found, wanted, why, kind, fits], words, query) {
    const good = kind > 0 && kind < 6 || fits === 0 ? "bad" : kind === 0 || fits === 1 ? "good" : "open", box = made("div", undefined, `note ${good}`);
    const head = made("p", `${words[task]}${words[part] && words[part] !== words[task] ? ` · ${words[part]}` : ""}: `, "speaker");
    head.append(made("b", words[found] || "(nothing)"), words[wanted] ? ` (wanted ${words[wanted]})` : "", kind >= 0 ? ` · ${data.kinds[kind]}` : "");
    box.append(head);
    if (words[why]) box.append(pre(words[why], query));
    return box;
  }
  function play([result, sample, lines, remarks, day], item, words, query) {
    const from = data.results[result], box = made("div", undefined, "play"), head = made("h4", from.model);
    if (sample) head.append(` · sample ${sample}`);
    const { kinds, cut } = answersOf(item).find(each => each.result === result && each.sample === sample) ?? { kinds: [] };
    if (kinds.length) head.append(" ", chip(kinds));
    if (cut) head.append(" ", made("span", "finish: length (cut)", "tag"));
    if (from.simulated) head.append(" ", made("span", "simulated", "tag"));
    const talked = made("div", undefined, "talked"), left = made("div", undefined, "lines"), right = made("div", undefined, "judged");
    const judges = lines.filter(([who]) => /\bthe judge/.test(words[who])), others = lines.filter(each => !judges.includes(each));
    left.append(...others.map(each => spoken(each, words, query, languageOf(item))));
    if (day) left.append(made("p", `A day in town. To see it step by step: mores town replay ${from.run}`, "says"));
    const plain = ([, , , wanted, why, kind]) => kind < 0 && !words[wanted] && !words[why];
    const bare = remarks.length > 12 ? remarks.filter(plain) : [], told = remarks.filter(each => !bare.includes(each));
    right.append(...told.map(each => remark(each, words, query)));
    if (bare.length) {
      const rest = made("details");
      rest.append(made("summary", `${bare.length} further figures`), ...bare.map(each => remark(each, words, query)));
      right.append(rest);
    }
    talked.append(left, right);
    box.append(head, talked);
    if (judges.length) {
      const asked = made("details");
      asked.append(made("summary", `What the judge was asked and said (${judges.length} messages)`), ...judges.map(each => spoken(each, words, query)));
      if (query && judges.some(each => words[each[1]].toLowerCase().includes(query))) asked.open = true;
      box.append(asked);
    }
    box.append(made("p", `Source: ${from.source || from.benchmark}; data ${from.data.join(", ") || "bundled"}; ${from.folder}`, "facts"));
    return box;
  }
  async function showItem(item, query) {
    const { items } = data, held = await playsOf(item), at = kept.indexOf(item);
    const pager = made("p", undefined, "pager"), back = made("a", "← All items in this list");
    back.href = address({ item: "", of: "" });
    pager.append(back);
    for (const [step, name] of [[-1, "Previous"], [1, "Next"]]) {
      if (at >= 0 && kept[at + step] !== undefined) { const link = linkTo(kept[at + step]); link.textContent = name; pager.append(link); }
    }
    const groups = items.groups[item].map(n => `${data.groups[n][2]}: ${data.groups[n][1]}`);
    const facts = [items.benchmark[item], data.places[items.place[item]][1], ...groups, `item ${items.id[item]}`].filter(Boolean).join(" · ");
    const sides = made("div", undefined, "sides");
    if (held) sides.append(...held.plays.map(each => play(each, item, held.words, query)));
    else sides.append(made("p", "There was no room for this item’s words in the page; they are in transcripts.jsonl of its run.", "says"));
    const title = made("h3", nameOf(item));
    title.dir = "auto";
    if (languageOf(item)) title.lang = languageOf(item);
    view.replaceChildren(pager, title, made("p", facts, "facts"));
    const rests = data.rests[items.unit[item]];
    if (rests) view.append(made("p", `Rests on: ${rests}`, "facts"));
    view.append(sides);
    const same = data.byUnit.get(items.unit[item]).filter(other => other !== item);
    if (same.length) {
      const ol = made("ol", undefined, "rows");
      ol.append(...same.map(line));
      const box = made("details");
      box.open = same.length < 9;
      const { unit } = data.results.find(each => each.benchmark === items.benchmark[item]);
      box.append(made("summary", `On the same ${unit}: ${data.units[items.unit[item]]} (${same.length})`), ol);
      view.append(box);
    }
  }

  async function show(focus) {
    const now = asked(), wanted = Object.fromEntries(FIELDS.map(name => [name, now.get(name) ?? ""]));
    for (const name of FIELDS) form.elements[name].value = wanted[name];
    if (wanted.q) { told.textContent = "reading all words …"; await readAll(); }
    const from = performance.now();
    kept = filtered(wanted);
    form.dataset.milliseconds = performance.now() - from;
    told.textContent = `${kept.length.toLocaleString("en")} of ${data.items.id.length.toLocaleString("en")} items`;
    const id = now.get("item"), of = now.get("of");
    const item = id === null ? -1 : data.items.id.findIndex((each, n) => each === id && (!of || data.items.benchmark[n] === of));
    list.hidden = item >= 0;
    view.hidden = item < 0;
    if (item >= 0) { await showItem(item, wanted.q.trim().toLowerCase()); if (focus) view.focus({ preventScroll: true }); }
    else showList();
    if (focus && location.hash.startsWith("#browse?")) section.scrollIntoView();
  }
  function options(name, values) {
    const select = form.elements[name];
    select.append(new Option("all", ""), ...values.map(([value, text]) => new Option(text, value)));
    select.closest("label").hidden = values.length < (name === "change" ? 1 : 2);
  }
  async function start() {
    data = await unpacked(one("index"));
    parts = [...section.querySelectorAll(".browse-words")].map(element => ({ element }));
    const { items, answers, results } = data, of = name => [...new Set(results.map(r => r[name]))].map(each => [each, each]);
    data.first = new Uint32Array(items.id.length).fill(answers[0].length);
    for (let n = answers[0].length - 1; n >= 0; n--) data.first[answers[0][n]] = n;
    data.byUnit = Map.groupBy ? Map.groupBy(items.id.keys(), n => items.unit[n]) : items.unit.reduce((m, unit, n) => m.set(unit, [...(m.get(unit) ?? []), n]), new Map());
    data.isCut = new Set(data.cut);
    data.aside = new Set([...items.id.keys()].filter(n => data.first[n] === answers[0].length));
    options("benchmark", of("benchmark"));
    options("model", of("model"));
    const present = data.kinds.filter((_, kind) => answers[3].includes(kind));
    const cut = data.cut.length ? [["cut", "cut"]] : [], aside = data.aside.size ? [[ASIDE, `${ASIDE} (${data.aside.size})`]] : [];
    options("answer", [...(present.length > 1 ? [["not right", "not right"]] : []), ...present.map(kind => [kind, kind]), ...cut, ...aside]);
    data.unstable = data.changes ? changedSo("unstable") : new Set();
    const changes = data.changes ? data.changes.kinds.filter(name => changedSo(name).size) : [];
    data.begin = changes.some(name => name !== "unstable") ? "change=changed" : "";
    options("change", [...(data.begin ? [["changed", "changed"]] : []), ...changes.map(name => [name, name])]);
    options("place", data.places.filter(([code]) => code).sort((a, b) => a[1].localeCompare(b[1])));
    options("group", data.groups.map(([code, name, kind]) => [code, `${kind}: ${name}`]).sort((a, b) => a[1].localeCompare(b[1])));
    options("judge", [...new Set(results.flatMap(r => r.judges))].map(each => [each, each]));
    one("wait").hidden = true;
    form.hidden = false;
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", event => {
      limit = PAGE;
      history.replaceState(null, "", address({ [event.target.name]: event.target.value, item: "", of: "" }));
      show(false);
    });
    addEventListener("hashchange", () => { if (location.hash.startsWith("#browse?")) { limit = PAGE; show(true); } });
    await show(true);
    section.dataset.ready = "yes";
  }
  start();
})();
