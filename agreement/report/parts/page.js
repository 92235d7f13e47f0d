"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent), page = data.page;
const $ = (id) => document.getElementById(id);
const make = (name, text, attributes = {}) => {
  const found = document.createElement(name);
  if (text !== undefined && text !== null) found.textContent = text;
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
};
const drawing = (name, attributes = {}) => {
  const found = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
};
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
if (page.strip) agree();
if ($("measures")) $("measures").append(measured(page.windows));
for (const cell of document.querySelectorAll(".cell")) {
  const show = () => { if (cell.open && !cell.querySelector("svg")) cell.append(measured(page.cells[cell.dataset.cell].windows)); };
  cell.addEventListener("toggle", show); show();
}

function agree() {
  const LETTERS = "NSMPQEBUW?", ALL = page.timeline, first = ALL[0], last = Math.max(ALL[1], ALL[0] + 1);
  const state = { period: (page.strip.find((one) => one.agree === false) || page.strip[0]).period, chosen: null, view: [first - .5, last + .5], cursor: null, shown: 50 };

  // Verdicts
  const used = new Set();
  for (const cell of document.querySelectorAll(".cells")) strip(cell, page.strip[cell.dataset.strip]);
  for (const place of [...used].sort((one, other) => one - other)) {
    const cause = page.causes[place], item = make("li");
    item.append(make("span", LETTERS[place], { class: "key", style: `background: var(--c${place})` }), cause ? cause.name : "several");
    if (cause) item.title = cause.says;
    $("legend").append(item);
  }
  const agreeing = make("li");
  agreeing.append(make("span", "·", { class: "key", style: "background: var(--agree); color: var(--ink)" }), "agree");
  $("legend").prepend(agreeing);

  function strip(cell, one) {
    const span = last - first || 1, svg = drawing("svg", { viewBox: "0 0 1000 20", preserveAspectRatio: "none", role: "img" });
    svg.setAttribute("aria-label", `U = ${one.period}: ${one.wrong} of ${one.whole} periods disagree`);
    for (const [start, end, cause, count, wrong] of one.cells) {
      const x = (start - first) / span * 1000, width = Math.max((end - start) / span * 1000 - 1.2, .8), bad = cause >= 0;
      if (bad) used.add(cause);
      const rect = drawing("rect", { x, width, y: bad ? 1 : 8, height: bad ? 18 : 5, fill: bad ? `var(--c${cause})` : "var(--agree)" });
      const title = drawing("title");
      title.textContent = `(${start}, ${end}]: ` + (bad ? `${wrong} of ${count} disagree, ${(page.causes[cause] || { name: "rows" }).name}` : "agree");
      rect.append(title);
      rect.addEventListener("click", () => { choosePeriod(one.period); see(start, end); choose(page.differences.findIndex((row) => row.period === one.period && row.from >= start && row.to <= end)); });
      svg.append(rect);
    }
    cell.append(svg);
    letters(cell, one, span);
  }
  function letters(cell, one, span) { // Text in a stretched picture would be stretched too.
    cell.style.position = "relative";
    if (one.cells.length > 120) return;
    for (const [start, end, cause] of one.cells) if (cause >= 0) cell.append(make("span", LETTERS[cause], { "aria-hidden": "true", style: `position:absolute;pointer-events:none;font-size:11px;line-height:20px;font-weight:700;color:var(--paper);top:1px;left:calc(.4rem + (100% - .8rem) * ${((start + end) / 2 - first) / span} - .35em)` }));
  }
  for (const one of page.strip) for (const id of ["period", "only-period"]) $(id).append(make("option", one.period, { value: one.period }));
  page.causes.forEach((cause, place) => { if (page.differences.some((row) => row.cause === place)) $("only-cause").append(make("option", cause.name, { value: place })); });
  for (const button of document.querySelectorAll("button.period")) button.addEventListener("click", () => { choosePeriod(+button.dataset.period); $("only-period").value = button.dataset.period; table(); });
  $("period").addEventListener("change", () => choosePeriod(+$("period").value));
  $("only-period").addEventListener("change", table);
  $("only-cause").addEventListener("change", table);
  $("more").addEventListener("click", () => { state.shown += 200; table(); });
  function choosePeriod(period) { state.period = period; $("period").value = period; draw(); }

  // Lanes: the elements of each stream in the order of time.
  const elements = page.elements, lanes = new Map();
  page.windows.forEach((one) => { if (one.stream) lanes.set(one.stream, []); });
  elements.stream.forEach((stream, place) => { const name = page.full[stream]; if (!lanes.has(name)) lanes.set(name, []); lanes.get(name).push(place); });
  const streams = [...lanes].map(([name, places]) => { places.sort((one, other) => elements.t[one] - elements.t[other]); return { name, short: shorten(name), places, times: Float64Array.from(places, (place) => elements.t[place]) }; });
  function shorten(name) { return name.replace(/[/#]+$/, "").split(/[/#]/).pop() || name; }
  function below(times, t) { let low = 0, high = times.length; while (low < high) { const middle = (low + high) >> 1; if (times[middle] < t) low = middle + 1; else high = middle; } return low; }
  const triple = (place) => ["s", "p", "o"].map((part) => page.terms[elements[part][place]]).join(" ");

  // Answers: rows that differ come first.
  const answerRows = [], byRow = new Map();
  for (const side of ["push", "pull"]) for (const [row, begin, end] of page[side].runs) {
    if (!byRow.has(row)) { byRow.set(row, { text: page.rows[row], push: [], pull: [] }); answerRows.push(byRow.get(row)); }
    byRow.get(row)[side].push([begin, end]);
  }
  const differing = new Set(page.differences.map((row) => row.row));
  answerRows.sort((one, other) => differing.has(other.text) - differing.has(one.text));
  const pushTimes = Float64Array.from(page.push.times);

  // What a window shows at a time point: as LARS defines it.
  function shows(one, t, stream) {
    if (one.size !== undefined) { const end = below(stream.times, t + 1); return end ? [stream.times[Math.max(0, end - one.size)], t] : null; }
    let low, high;
    if (one.width !== undefined) { low = one.start + Math.max(0, Math.ceil((t - one.start - one.width) / one.slide)) * one.slide + 1; high = t; }
    else { const pivot = t - ((t % one.step) + one.step) % one.step; low = one.past === null ? first : pivot - one.past + (one.open === "low-open"); high = pivot + one.future - (one.open === "high-open"); }
    low = Math.max(low, first); high = Math.min(high, last);
    return low <= high ? [low, high] : null;
  }
  window.larsShows = (place, t) => shows(page.windows[place], t, streams.find((one) => one.name === page.windows[place].stream) || streams[0]);

  // Timeline
  const canvas = $("timeline"), pen = canvas.getContext("2d");
  let box = { width: 0, height: 0, left: 0 }, scheduled = false;
  const x = (t) => box.left + (t - state.view[0]) / (state.view[1] - state.view[0]) * (box.width - box.left - 6);
  const timeAt = (at) => Math.round(state.view[0] + (at - box.left) / (box.width - box.left - 6) * (state.view[1] - state.view[0]));
  function draw() { if (!scheduled) { scheduled = true; requestAnimationFrame(paint); } }
  function paint() {
    scheduled = false;
    performance.mark("paint");
    const lane = 30, row = 16, width = canvas.clientWidth, rows = answerRows.slice(0, 14), height = 24 + streams.length * lane + 44 + rows.length * row + 8;
    const ratio = window.devicePixelRatio || 1, ink = colour("--ink"), soft = colour("--soft"), line = colour("--line"), push = colour("--push"), pull = colour("--pull"), lit = colour("--lit"), shade = colour("--shade"), bad = colour("--bad");
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) { canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio); canvas.style.height = `${height}px`; }
    box = { width, height, left: width < 600 ? 74 : 150 };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
    const label = (text, y, style) => { pen.fillStyle = style; let shown = text; while (pen.measureText(shown).width > box.left - 8 && shown.length > 2) shown = shown.slice(0, -2) + "…"; pen.textAlign = "right"; pen.fillText(shown, box.left - 5, y); };
    // periods of the chosen U, those that disagree shaded
    const one = page.strip.find((found) => found.period === state.period), U = state.period, dense = (x(U) - x(0)) < 5;
    pen.save(); pen.beginPath(); pen.rect(box.left, 0, width - box.left, height); pen.clip();
    for (const [start, end, cause] of one.cells) if (cause >= 0 && end >= state.view[0] && start <= state.view[1]) { pen.globalAlpha = .16; pen.fillStyle = bad; pen.fillRect(x(start + .5), 20, Math.max(x(end + .5) - x(start + .5), 1), height - 20); pen.globalAlpha = 1; }
    axis(height, line, soft);
    let y = 24;
    const support = state.chosen === null ? new Set() : new Set(page.differences[state.chosen].support);
    for (const stream of streams) {
      pen.strokeStyle = line; pen.beginPath(); pen.moveTo(box.left, y + lane - .5); pen.lineTo(width, y + lane - .5); pen.stroke();
      if (state.cursor !== null) for (const found of page.windows) if (found.stream === null || found.stream === stream.name) {
        const ends = shows(found, state.cursor, stream), under = found.side === "push";
        if (!ends) continue;
        pen.strokeStyle = pen.fillStyle = under ? push : pull; pen.globalAlpha = .18;
        const left = x(ends[0] - .35), wide = Math.max(x(ends[1] + .35) - left, 3), top = y + (under ? 16 : 3);
        pen.fillRect(left, top, wide, 11); pen.globalAlpha = 1; pen.lineWidth = 1.5; pen.setLineDash(under ? [4, 2] : []); pen.strokeRect(left, top, wide, 11); pen.setLineDash([]); pen.lineWidth = 1;
      }
      marks(stream, y, lane, ink, lit, support);
      y += lane;
    }
    ticks(pushTimes, y + 4, push, "▾"); ticks(null, y + 24, pull, "▴");
    const evaluations = y; y += 44;
    for (const found of rows) {
      for (const [side, at, style] of [["push", y + 2, push], ["pull", y + 9, pull]]) for (const [begin, end] of found[side]) {
        if (end < state.view[0] || begin > state.view[1]) continue;
        pen.fillStyle = style;
        if (side === "push") pen.fillRect(x(begin - .3), at, Math.max(x(end + .3) - x(begin - .3), 2), 5);
        else if (dense) pen.fillRect(x(begin), at, Math.max(x(end) - x(begin), 2), 5);
        else for (let t = Math.ceil(Math.max(begin, state.view[0]) / U) * U; t <= Math.min(end, state.view[1]); t += U) pen.fillRect(x(t) - 3, at, 6, 5);
      }
      y += row;
    }
    if (state.cursor !== null) { pen.strokeStyle = lit; pen.beginPath(); pen.moveTo(x(state.cursor), 16); pen.lineTo(x(state.cursor), height); pen.stroke(); }
    pen.restore();
    y = 24; for (const stream of streams) { label(stream.short, y + lane / 2, ink); y += lane; }
    label("push evaluates", evaluations + 10, push); label(`pull, U = ${U}`, evaluations + 30, pull); y += 44;
    for (const found of rows) { label(found.text, y + 8, differing.has(found.text) ? bad : soft); y += row; }
    performance.measure("draw", "paint");
  }
  function axis(height, line, soft) {
    const span = state.view[1] - state.view[0], raw = span / Math.max(2, (box.width - box.left) / 80), power = 10 ** Math.floor(Math.log10(raw)), step = Math.max(1, [1, 2, 5, 10].find((one) => one * power >= raw) * power);
    pen.textAlign = "center"; pen.fillStyle = soft; pen.strokeStyle = line;
    for (let t = Math.ceil(state.view[0] / step) * step; t <= state.view[1]; t += step) { pen.beginPath(); pen.moveTo(x(t), 18); pen.lineTo(x(t), height); pen.stroke(); pen.fillText(String(t), x(t), 9); }
  }
  function marks(stream, y, lane, ink, lit, support) {
    const begin = below(stream.times, state.view[0]), end = below(stream.times, state.view[1] + 1);
    pen.fillStyle = ink;
    if (end - begin <= 1500) {
      let before = NaN, stack = 0;
      for (let place = begin; place < end; place++) {
        const t = stream.times[place]; stack = t === before ? stack + 1 : 0; before = t;
        if (stack > 5) continue;
        pen.beginPath(); pen.arc(x(t) + stack * 2, y + lane / 2, 2.6, 0, 7); pen.fill();
      }
    } else { // more than can be told apart: how many there are in each column of pixels
      let place = begin, most = 1;
      const counts = [];
      for (let at = box.left; at < box.width; at++) { const next = below(stream.times, state.view[0] + (at + 1 - box.left) / (box.width - box.left - 6) * (state.view[1] - state.view[0])); counts.push(next - place); most = Math.max(most, next - place); place = next; }
      counts.forEach((count, at) => { const tall = count / most * (lane - 4); pen.fillRect(box.left + at, y + lane - 2 - tall, 1, tall); });
    }
    for (const place of support) if (page.full[elements.stream[place]] === stream.name) { pen.fillStyle = lit; pen.beginPath(); pen.arc(x(elements.t[place]), y + lane / 2, 5.5, 0, 7); pen.fill(); }
  }
  function ticks(times, y, style, mark) {
    pen.fillStyle = style; pen.textAlign = "center";
    const limit = (box.width - box.left) / 3;
    if (times) { const begin = below(times, state.view[0]), end = below(times, state.view[1] + 1); if (end - begin > limit) { pen.fillRect(x(times[begin]), y + 4, x(times[end - 1]) - x(times[begin]), 4); return; } for (let place = begin; place < end; place++) pen.fillText(mark, x(times[place]), y + 6); return; }
    if ((state.view[1] - state.view[0]) / state.period > limit) { pen.fillRect(x(Math.max(first, state.view[0])), y + 4, x(Math.min(last, state.view[1])) - x(Math.max(first, state.view[0])), 4); return; }
    for (let t = Math.max(0, Math.ceil(Math.max(first, state.view[0]) / state.period)) * state.period; t <= Math.min(last, state.view[1]); t += state.period) pen.fillText(mark, x(t), y + 6);
  }
  function look(t) {
    t = Math.min(Math.max(t, first), last);
    if (t === state.cursor) return;
    state.cursor = t;
    if (t < state.view[0] || t > state.view[1]) { const half = (state.view[1] - state.view[0]) / 2; see(t - half, t + half, true); }
    tell(t); draw();
  }
  function tell(t) {
    const here = $("here"), list = make("ul"), pushed = pushTimes[below(pushTimes, t)] === t, pulled = t % state.period === 0;
    here.textContent = "";
    here.append(make("strong", `t = ${t}`), ` ${page.unit} each${pushed ? "; push evaluates" : ""}${pulled ? "; pull evaluates" : ""}`);
    for (const stream of streams) {
      const begin = below(stream.times, t), end = below(stream.times, t + 1);
      const seen = page.windows.filter((one) => one.stream === null || one.stream === stream.name).map((one) => { const ends = shows(one, t, stream); return `${one.side} ${one.label} sees ${ends ? `${ends[0]}..${ends[1]} (${below(stream.times, ends[1] + 1) - below(stream.times, ends[0])})` : "nothing"}`; });
      const arrived = [...Array(Math.min(end - begin, 4)).keys()].map((place) => triple(stream.places[begin + place])).join(" · ");
      list.append(make("li", `${stream.short}: ${[arrived + (end - begin > 4 ? ` … ${end - begin} in all` : ""), ...seen].filter(Boolean).join("; ")}`));
    }
    here.append(list);
  }
  function see(from, to, keep) { const room = keep ? 0 : Math.max((to - from) * .8, 3); view(from - room, to + room); }
  function view(from, to) { // never beyond the timeline
    const span = Math.min(to - from, last - first + 1), start = Math.min(Math.max(from, first - .5), last + .5 - span);
    state.view = [start, start + span]; draw();
  }
  function zoom(factor, around) {
    const middle = around === undefined ? (state.cursor === null ? (state.view[0] + state.view[1]) / 2 : state.cursor) : around, most = last - first + 1;
    const span = Math.max((state.view[1] - state.view[0]) * factor, Math.min(4, most)), share = (middle - state.view[0]) / (state.view[1] - state.view[0]);
    view(middle - span * share, middle + span * (1 - share));
  }
  function pan(by) { view(state.view[0] + by, state.view[1] + by); }
  const pointers = new Map(); let dragged = 0;
  canvas.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, event.offsetX); canvas.setPointerCapture(event.pointerId); dragged = 0; });
  canvas.addEventListener("pointermove", (event) => {
    const scale = (state.view[1] - state.view[0]) / (box.width - box.left - 6);
    if (!pointers.has(event.pointerId)) { if (event.offsetX > box.left) look(timeAt(event.offsetX)); return; }
    const before = [...pointers.values()], moved = event.offsetX - pointers.get(event.pointerId);
    pointers.set(event.pointerId, event.offsetX); dragged += Math.abs(moved);
    if (pointers.size === 1) pan(-moved * scale);
    else { const now = [...pointers.values()], wide = Math.abs(now[0] - now[1]); if (wide > 8) zoom(Math.abs(before[0] - before[1]) / wide, timeAt((now[0] + now[1]) / 2)); }
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => { pointers.delete(event.pointerId); if (dragged < 3 && event.offsetX > box.left) look(timeAt(event.offsetX)); });
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : .8, timeAt(event.offsetX)); }
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) { event.preventDefault(); pan(event.deltaX * (state.view[1] - state.view[0]) / box.width); }
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const by = event.shiftKey ? 10 : 1, at = state.cursor === null ? Math.round((state.view[0] + state.view[1]) / 2) : state.cursor;
    const acts = { ArrowLeft: () => look(at - by), ArrowRight: () => look(at + by), Home: () => look(first), End: () => look(last), PageUp: () => pan((state.view[0] - state.view[1]) / 2), PageDown: () => pan((state.view[1] - state.view[0]) / 2), "+": () => zoom(.7), "=": () => zoom(.7), "-": () => zoom(1.4), 0: whole, n: () => step(1), p: () => step(-1) };
    if (!event.ctrlKey && !event.metaKey && !event.altKey && acts[event.key]) { event.preventDefault(); acts[event.key](); }
  });
  function whole() { state.view = [first - .5, last + .5]; draw(); }
  $("zoom-in").addEventListener("click", () => zoom(.6)); $("zoom-out").addEventListener("click", () => zoom(1.6)); $("zoom-all").addEventListener("click", whole);
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  // Differences
  function wanted() { const period = $("only-period").value, cause = $("only-cause").value; return page.differences.map((_, place) => place).filter((place) => { const row = page.differences[place]; return (!period || row.period === +period) && (!cause || row.cause === +cause); }); }
  function table() {
    const body = document.querySelector("#differences tbody"), places = wanted();
    body.textContent = "";
    for (const place of places.slice(0, state.shown)) {
      const row = page.differences[place], line = make("tr", null, { "data-place": place }), cell = make("td"), button = make("button", row.row, { type: "button", class: "row" }), cause = make("td");
      if (place === state.chosen) line.className = "chosen";
      button.addEventListener("click", () => choose(place));
      cell.append(button);
      cause.append(make("span", LETTERS[row.cause], { class: "key", style: `background: var(--c${row.cause})`, "aria-hidden": "true" }), page.causes[row.cause].name);
      line.append(cell, make("td", row.period, { class: "number" }), make("td", `(${row.from}, ${row.to}]`), make("td", row.side), make("td", row.pushed === null ? "–" : row.pushed, { class: "number" }), cause);
      body.append(line);
    }
    $("more").hidden = places.length <= state.shown;
    const left = page.more ? `; ${page.more} more are in --json and --out` : "";
    $("count").textContent = places.length ? `${places.length} ${places.length === 1 ? "row" : "rows"}${left}` : "no row: both sides report the same";
  }
  function step(by) { const places = wanted(); if (places.length) choose(places[(places.indexOf(state.chosen) + by + places.length) % places.length]); }
  function choose(place) {
    if (place < 0) return;
    state.chosen = place;
    const row = page.differences[place], cause = page.causes[row.cause], detail = $("detail"), proof = page.proofs[place];
    for (const line of document.querySelectorAll("#differences tr[data-place]")) line.className = +line.dataset.place === place ? "chosen" : "";
    choosePeriod(row.period); see(Math.min(row.from, ...row.support.map((one) => elements.t[one])), row.to);
    state.cursor = null; look(row.side === "push" && row.pushed !== null ? row.pushed : row.to);
    detail.textContent = "";
    detail.append(make("h3", `${row.row}: only ${row.side} has it in (${row.from}, ${row.to}]`), make("p", `${cause.name}. ${cause.says}`), make("p", `For both sides to have it or lack it: ${cause.change}`));
    const list = make("ul");
    for (const one of row.support) list.append(make("li", `${elements.t[one]}: ${triple(one)} (${shorten(page.full[elements.stream[one]])})`));
    detail.append(make("h4", "The input behind it"), row.support.length ? list : make("p", "none: no input is needed"));
    if (!proof) { detail.append(make("p", "lars explain shows the proof of this row; this page holds those of some rows.", { class: "hint" })); return; }
    const other = row.side === "push" ? "pull" : "push";
    detail.append(make("h4", `Why ${row.side} has it at ${proof.at}`), told(proof.why), make("h4", `What ${other} lacks at ${proof.other_at}`), told(proof.lacks));
  }
  function told(found) {
    if (found.document && found.document.proof) { const tree = make("ul", null, { class: "tree" }); tree.append(node(found.document.proof)); return tree; }
    const box = make("div", null, { class: "wide", tabindex: "0", role: "group", "aria-label": "explanation" });
    box.append(make("pre", found.lines.join("\n")));
    return box;
  }
  function brief(text) { return text.replace(/<[^<>]*[/#]([^<>/#]+)>/g, ":$1").replace(/"([^"]*)"\^\^:\w+/g, "$1"); }
  function worth(value) { return typeof value === "string" ? value : value && value.value !== undefined ? shorten(value.value) : String(value); }
  function node(one) {
    const item = make("li");
    if (one.kind !== "derived") { item.append(make("span", one.s ? `${one.t}: ${[one.s, one.p, one.o].map((term) => shorten(term.value)).join(" ")}` : brief(one.atom || `nothing in ${one.from}..${one.to}`), { class: "input" }), make("small", ` ${{ input: "input", known: "given", absent: "does not hold" }[one.kind] || one.kind}${one.windows && one.windows.length ? ` in ${one.windows.map((seen) => `${seen.window} = ${seen.from}..${seen.to}`).join(" of ")}` : ""}`)); return item; }
    if (one.repeated) { item.textContent = `${brief(one.atom)} (told elsewhere)`; return item; }
    // A rule with its values in place of its variables: the head is what it derives.
    const values = Object.entries(one.binding || {}), filled = values.reduce((text, [name, value]) => text.replaceAll(new RegExp(`(?<![\\w?])[?]?${name.replace("?", "")}(?![\\w])`, "g"), () => worth(value)), one.text), box = make("details", null, { open: "" }), head = make("summary", brief(filled.split("←")[0].trim()));
    head.append(make("small", ` by rule ${one.rule}`)); head.title = brief(one.text);
    const list = make("ul"), shown = one.premises.filter((premise) => !(premise.evidence.length === 1 && premise.evidence[0].repeated && premise.literal === "trigger"));
    for (const premise of shown) { if (premise.evidence.length) premise.evidence.forEach((found) => list.append(node(found))); else list.append(make("li", `${brief(premise.literal)}${premise.why ? `: ${premise.why}` : ""}`)); }
    box.append(head, list); item.append(box);
    return item;
  }
  table(); $("period").value = state.period; paint();

  // Query and logic
  for (const pair of document.querySelectorAll(".pair")) {
    const lines = [...pair.querySelectorAll(".line")], rules = [...pair.querySelectorAll(".rule")];
    const linked = (rule) => rule.dataset.lines.split(" ").filter(Boolean).map(Number);
    const light = (some, rule) => { lines.forEach((line, place) => line.classList.toggle("lit", some.includes(place))); rules.forEach((one) => one.classList.toggle("lit", rule ? one === rule : linked(one).some((place) => some.includes(place)))); };
    for (const rule of rules) for (const name of ["mouseenter", "focus"]) rule.addEventListener(name, () => light(linked(rule), rule));
    lines.forEach((line, place) => { if (rules.some((rule) => linked(rule).includes(place))) { line.tabIndex = 0; for (const name of ["mouseenter", "focus"]) line.addEventListener(name, () => light([place])); } });
    pair.addEventListener("mouseleave", () => light([]));
  }
}

// Precision, recall and delay of windows over time, the wrong ones marked.
function measured(found) {
  const windows = found.filter((one) => one.phase === "windows"), svg = drawing("svg", { viewBox: "0 0 1000 240", role: "img" });
  svg.setAttribute("aria-label", `precision, recall and delay of ${windows.length} windows, of which ${windows.filter((one) => one.problem).length} are wrong`);
  const place = (number) => windows.length < 2 ? 520 : 60 + number / (windows.length - 1) * 920, delays = windows.map((one) => one.delay).filter((delay) => delay !== null), most = Math.max(1, ...delays);
  const text = (content, x, y) => { const label = drawing("text", { x, y, "text-anchor": "end", "font-size": 13, fill: "currentColor" }); label.textContent = content; svg.append(label); };
  const series = (name, value, top, style, dash, high) => {
    text(high, 52, top + 8); text(name, 52, top + 34); text("0", 52, top + 60);
    svg.append(drawing("line", { x1: 60, x2: 980, y1: top + 56, y2: top + 56, stroke: "var(--line)" }));
    const points = windows.map((one, number) => [place(number), top + 56 - Math.max(0, value(one) ?? 0) * 50]);
    svg.append(drawing("polyline", { points: points.map((point) => point.join(",")).join(" "), fill: "none", stroke: style, "stroke-width": windows.length > 200 ? 1 : 2, "stroke-dasharray": dash }));
    points.forEach(([x, y], number) => {
      const one = windows[number];
      if (!one.problem && windows.length > 200) return;
      const dot = drawing("circle", { cx: x, cy: y, r: one.problem ? (windows.length > 200 ? 2.5 : 5) : 2.5, fill: one.problem ? "var(--bad)" : style }), title = drawing("title");
      title.textContent = `up to ${one.to}: ${one.problem || "right"}`;
      dot.append(title); svg.append(dot);
    });
  };
  series("precision", (one) => one.precision, 8, "var(--push)", "", "1"); series("recall", (one) => one.recall, 84, "var(--pull)", "6 3", "1");
  if (delays.length) series("delay ms", (one) => one.delay === null ? 0 : one.delay / most, 160, "var(--lit)", "2 2", Math.round(most * 1000) / 1000);
  return svg;
}
})();
