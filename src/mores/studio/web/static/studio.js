/* What a page does beyond HTML: keys, autosave, time on task, figures that keep up. Every page works without it. */
"use strict";

const begin = () => {
  const form = document.querySelector("form[data-draft]");
  if (!form) return;
  const ending = new AbortController(), { signal } = ending;
  const kept = "draft " + form.dataset.draft;
  const said = form.querySelector(".saved");
  const typed = () => {
    const body = {};
    for (const [name, value] of new FormData(form)) {
      if (["csrfmiddlewaretoken", "key", "active_ms", "seen"].includes(name)) continue;
      (body[name] ??= []).push(value);
    }
    return body;
  };
  const fill = (body) => {
    for (const field of form.elements) {
      if (!(field.name in body)) continue;
      const values = [].concat(body[field.name]);
      if (field.type === "checkbox" || field.type === "radio") field.checked = values.includes(field.value);
      else if (field.tagName === "TEXTAREA") field.value = values[0] ?? "";
      else if (field.tagName === "SELECT") field.value = values.find((value) => [...field.options].some((option) => option.value === value)) ?? "";
    }
  };

  // What could not be sent is kept here, and comes back with the page.
  try {
    const left = JSON.parse(localStorage.getItem(kept) || "null");
    if (left && left.rev >= Number(form.dataset.rev)) fill(left.body);
  } catch { localStorage.removeItem(kept); }

  let rev = Number(form.dataset.rev), waiting = null, saving = false, again = false;
  const save = async () => {
    if (saving) { again = true; return; }
    saving = true;
    const body = typed();
    localStorage.setItem(kept, JSON.stringify({ rev, body }));
    try {
      const answer = await fetch(form.dataset.draft, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
        body: JSON.stringify({ rev, body }),
        redirect: "error",
      });
      if (answer.ok) { rev = (await answer.json()).rev; localStorage.removeItem(kept); said.textContent = said.dataset.saved; }
      else said.textContent = answer.status === 409 ? said.dataset.other : said.dataset.offline;
    } catch { said.textContent = said.dataset.offline; }
    saving = false;
    if (again) { again = false; save(); }
  };
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(save, 600); });

  // Time on task by a clock that never goes back, while the page is looked at.
  let active = 0, since = document.hidden ? null : performance.now();
  document.addEventListener("visibilitychange", () => {
    if (since !== null) active += performance.now() - since;
    since = document.hidden ? null : performance.now();
  }, { signal });
  form.addEventListener("submit", (event) => {
    clearTimeout(waiting);
    again = false;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
    if (form.elements.active_ms) form.elements.active_ms.value = Math.round(active + (since === null ? 0 : performance.now() - since));
    if ("onward" in form.dataset) { event.preventDefault(); send(); }
  });
  window.addEventListener("pageshow", () => { delete form.dataset.sent; }, { signal });

  // The answer to a sending is the next item. Whatever else comes, the browser sends the same key again and shows it.
  const send = async () => {
    try {
      const answer = await fetch(form.action, {
        method: "POST", headers: { "X-Part": "main" }, body: new URLSearchParams(new FormData(form)), redirect: "manual",
      });
      const place = answer.headers.get("Content-Location");
      if (!place) { form.submit(); return; }
      const main = document.getElementById("main");
      main.innerHTML = await answer.text();
      ending.abort();
      if (answer.ok) localStorage.removeItem(kept);
      if (place !== shown) history.pushState(null, "", place);
      shown = place;
      document.querySelector("input[name=next]").value = place;
      begin();
      window.scrollTo(0, 0);
      (main.querySelector("[autofocus]") ?? main).focus();
    } catch { form.submit(); }
  };

  // An option that stands alone takes the others back.
  form.addEventListener("change", (event) => {
    const chosen = event.target;
    if (chosen.type !== "checkbox" || !chosen.checked) return;
    for (const other of form.querySelectorAll(`input[type=checkbox][name="${CSS.escape(chosen.name)}"]`)) {
      if (other !== chosen && ("alone" in chosen.dataset || "alone" in other.dataset)) other.checked = false;
    }
  });

  // The parts of a text that a pointer is drawn over, from one to another, are marked as one; where all were, no more.
  for (const marks of form.querySelectorAll(".marks")) {
    const labels = [...marks.querySelectorAll("label")];
    let over = null;
    const draw = (event) => {
      const at = labels.indexOf(event.target.closest("label"));
      if (over && at >= 0) over.push(at);
    };
    marks.addEventListener("pointerdown", (event) => { over = event.button ? null : []; draw(event); });
    marks.addEventListener("pointermove", draw);
    document.addEventListener("pointercancel", () => { over = null; }, { signal });
    document.addEventListener("pointerup", () => {
      const [first, last] = [over?.at(0), over?.at(-1)].sort((one, other) => one - other);
      over = null;
      if (first === last) return;
      const parts = labels.slice(first, last + 1).map((label) => label.control);
      const on = !parts.every((part) => part.checked);
      for (const part of parts) part.checked = on;
      document.getSelection().removeAllRanges();
      form.dispatchEvent(new Event("input"));
    }, { signal });
  }

  // Whoever steers by voice can switch single keys off.
  const keys = document.getElementById("use-keys");
  if (keys) {
    document.getElementById("keys").hidden = false;
    keys.checked = localStorage.getItem("keys") !== "off";
    keys.addEventListener("change", () => localStorage.setItem("keys", keys.checked ? "on" : "off"));
  }

  document.addEventListener("keydown", (event) => {
    if (keys && !keys.checked) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.matches("textarea, select, input:not([type=checkbox]):not([type=radio])");
    if (typing) return;
    if (/^[1-9]$/.test(event.key)) {
      const here = event.target.closest("fieldset") || form.querySelector("fieldset");
      const option = here && here.querySelectorAll("input")[Number(event.key) - 1];
      if (option) { option.click(); option.focus(); event.preventDefault(); }
    } else if (event.key === "Enter" && !event.target.matches("button, a, summary")) { form.requestSubmit(); event.preventDefault(); }
    else if (event.key === "?") { const help = document.getElementById("keys"); if (help) { help.open = !help.open; help.scrollIntoView({ block: "nearest" }); } }
    else {
      const button = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
      if (button) button.click();
    }
  }, { signal });
};

// What changes by itself is fetched with its page every so many seconds; what stayed the same in it is left alone, so
// that nobody loses their place, and readers aloud say only what is new.
const update = (old, fresh) => {
  if (old.isEqualNode(fresh)) return;
  if (!old.childNodes.length || !old.cloneNode().isEqualNode(fresh.cloneNode())) { old.replaceWith(fresh); return; }
  const before = [...old.childNodes], after = [...fresh.childNodes];
  after.forEach((node, place) => { if (before[place]) update(before[place], node); else old.append(node); });
  before.slice(after.length).forEach((node) => node.remove());
};
const watch = () => {
  const waiting = document.querySelector("[data-every]");
  if (!waiting) return;
  setTimeout(async () => {
    const here = waiting.closest("[id]");
    try {
      const answer = document.hidden ? null : await fetch(location.pathname);
      const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page && page.getElementById(here.id);
      if (fresh) update(here, fresh);
    } catch { /* the network is cut: the next time */ }
    watch();
  }, 1000 * waiting.dataset.every);
};
watch();

// Pages that took each other's place are fetched again when one goes back to them.
let shown = location.pathname;
window.addEventListener("popstate", () => { if (location.pathname !== shown) location.reload(); });
begin();
