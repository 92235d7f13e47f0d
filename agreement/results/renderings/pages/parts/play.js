"use strict";
(() => {
  const $ = (id) => document.getElementById(id),
    about = JSON.parse($("data").textContent),
    names = Object.keys(about.texts),
    frames = $("frames"),
    WAIT = 120,
    REST = 700;
  const make = (name, text, attributes = {}) => {
    const found = document.createElement(name);
    if (text !== null) found.textContent = text;
    for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
    return found;
  };
  const editors = names.map((name, number) => {
    const tab = make("button", name, { type: "button", role: "tab", id: `tab-${number}`, "aria-controls": `panel-${number}`, "aria-selected": "false", tabindex: "-1" }),
      panel = make("div", null, { class: "editor", role: "tabpanel", id: `panel-${number}`, "aria-labelledby": `tab-${number}`, hidden: "" }),
      gutter = make("div", null, { class: "gutter", "aria-hidden": "true" }),
      area = make("textarea", null, { "aria-label": name, spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off" });
    area.value = about.texts[name];
    panel.append(gutter, area);
    document.querySelector(".tabs").append(tab);
    $("panels").append(panel);
    return { name, tab, panel, gutter, area, wrong: new Set(), lines: 0 };
  });
  const side = () => document.querySelector("input[name=side]:checked")?.value || "pull",
    period = () => ($("period") ? $("period").value.trim() : "");
  let place = { t: null, y: 0 },
    current = null,
    asked = 0,
    waiting = null,
    running = null;

  function choose(chosen, focus) {
    editors.forEach((one, number) => {
      one.tab.setAttribute("aria-selected", String(number === chosen));
      one.tab.tabIndex = number === chosen ? 0 : -1;
      one.panel.hidden = number !== chosen;
    });
    if (focus) editors[chosen].tab.focus();
  }
  function number(one) {
    const lines = one.area.value.split("\n").length;
    if (lines !== one.lines) {
      one.gutter.replaceChildren(...Array.from({ length: lines }, (_, line) => make("div", String(line + 1))), make("div", "", { class: "below" }));
      one.lines = lines;
    }
    [...one.gutter.children].forEach((line, at) => line.classList.toggle("wrong", one.wrong.has(at + 1)));
    one.gutter.scrollTop = one.area.scrollTop;
    one.tab.classList.toggle("changed", one.area.value !== about.texts[one.name]);
  }
  function go(one, line, column) {
    const lines = one.area.value.split("\n"),
      // Columns count characters, a text area counts units of UTF-16.
      start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0),
      inside = [...(lines[line - 1] || "")].slice(0, column - 1).join("").length;
    choose(editors.indexOf(one));
    one.area.focus();
    one.area.setSelectionRange(start + inside, start + inside);
    one.area.scrollTop = Math.max(0, (line - 5) * 20);
  }
  function wrong(errors) {
    editors.forEach((one) => {
      const own = errors.filter((error) => error.file === one.name);
      one.wrong = new Set(own.map((error) => error.line).filter((line) => line !== null));
      one.tab.classList.toggle("wrong", own.length > 0);
      own.length ? one.area.setAttribute("aria-invalid", "true") : one.area.removeAttribute("aria-invalid");
      own.length ? one.area.setAttribute("aria-describedby", "errors") : one.area.removeAttribute("aria-describedby");
      number(one);
    });
    $("errors").replaceChildren(
      ...errors.map((error) => {
        const said = make("p", null),
          one = editors.find((each) => each.name === error.file);
        if (one && error.line !== null) {
          const link = make("button", `${error.file}, line ${error.line}, column ${error.column}`, { type: "button" });
          link.addEventListener("click", () => go(one, error.line, error.column));
          said.append(link, ": ");
        }
        said.append(error.message);
        return said;
      }),
    );
    frames.classList.toggle("old", errors.length > 0);
  }
  function question(whole) {
    const texts = Object.fromEntries(editors.map((one) => [one.name, one.area.value]));
    return { texts, period: period(), side: side(), at: place.t, whole };
  }
  const post = (where, content, signal) =>
    fetch(where, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content), signal });
  async function evaluate(whole = false) {
    clearTimeout(waiting);
    running?.abort();
    running = new AbortController();
    const mine = ++asked,
      begun = performance.now();
    if (!whole) $("state").textContent = "evaluating …";
    try {
      const answer = await post("evaluate", question(whole), running.signal);
      if (mine !== asked) return;
      if (answer.status === 503) {
        waiting = setTimeout(() => evaluate(whole), REST);
        return;
      }
      if (!answer.ok) throw new Error(await answer.text());
      const found = await answer.json();
      if (mine !== asked) return;
      wrong(found.errors);
      if (found.result !== null) show(found.result, mine);
      const spent = Math.round(performance.now() - begun);
      if (!whole || found.errors.length) {
        $("state").textContent = found.errors.length ? "not evaluated: see the error" : `${found.headline} (${spent} ms)`;
        document.body.dataset.state = found.errors.length ? "wrong" : "quick";
      } else document.body.dataset.state = "whole";
      document.body.dataset.spent = spent;
      // The first answer has the steps around the time point shown; the others follow while nobody types.
      if (!whole && !found.errors.length) waiting = setTimeout(() => evaluate(true), REST);
    } catch (error) {
      if (error.name === "AbortError" || mine !== asked) return;
      $("state").textContent = `not evaluated: ${error.message === "Failed to fetch" ? "the server has ended" : error.message}`;
      document.body.dataset.state = "ended";
    }
  }
  // The new page is shown when it is ready, at the place of the old one.
  function show(name, mine) {
    frames.querySelectorAll(".coming").forEach((each) => each.remove());
    const coming = make("iframe", null, { class: "coming", title: "Result", sandbox: "allow-scripts allow-downloads", src: `result/${name}` });
    coming.addEventListener("load", () => {
      if (mine !== asked && !coming.isConnected) return;
      coming.contentWindow.postMessage({ y: place.y }, "*");
      setTimeout(() => {
        if (!coming.isConnected) return;
        current?.remove();
        current = coming;
        coming.classList.remove("coming");
      }, 30);
    });
    frames.append(coming);
  }
  window.addEventListener("message", (event) => {
    if (!current || event.source !== current.contentWindow) return;
    place = { t: Number.isInteger(event.data.t) ? event.data.t : null, y: +event.data.y || 0 };
  });
  function edited() {
    clearTimeout(waiting);
    running?.abort();
    asked++;
    document.body.dataset.state = "typing";
    waiting = setTimeout(evaluate, WAIT);
  }
  editors.forEach((one, at) => {
    one.tab.addEventListener("click", () => choose(at));
    one.tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: editors.length - 1 }[event.key];
      if (to === undefined) return;
      choose((to + editors.length) % editors.length, true);
      event.preventDefault();
    });
    one.area.addEventListener("input", () => {
      number(one);
      edited();
    });
    one.area.addEventListener("scroll", () => (one.gutter.scrollTop = one.area.scrollTop));
  });
  $("period")?.addEventListener("input", edited);
  for (const one of document.querySelectorAll("input[name=side]")) one.addEventListener("change", edited);
  $("reset").addEventListener("click", () => {
    editors.forEach((one) => {
      one.area.value = about.texts[one.name];
      number(one);
    });
    if ($("period")) $("period").value = "";
    edited();
  });
  $("export").addEventListener("click", async () => {
    const answer = await post("export", question(true));
    if (!answer.ok) {
      $("state").textContent = await answer.text();
      return;
    }
    const link = make("a", "", { href: URL.createObjectURL(await answer.blob()), download: `${document.querySelector("h1").textContent}.zip` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  editors.forEach(number);
  choose(0);
  evaluate();
})();
