"use strict";
(() => {
  // What is not seen but acts, as a turn of direction, is shown as an escape.
  const seen = (text) =>
    text.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (one) => {
      const code = one.codePointAt(0).toString(16).toUpperCase();
      return one === "\t"
        ? "\\t"
        : code.length > 4
          ? `\\U${code.padStart(8, "0")}`
          : `\\u${code.padStart(4, "0")}`;
    });
  const allSeen = (_, value) =>
    typeof value === "string"
      ? seen(value)
      : value && typeof value === "object" && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).map(([key, held]) => [seen(key), held]))
        : value;
  const data = JSON.parse(document.getElementById("data").textContent, allSeen),
    page = data.page;
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
  // Times are called by their dateTimes where the trace has them, without what all begin with; where no
  // trace has them, by how long they are after time 0.
  let dates = page.dates;
  const when = (t) => {
    if (!dates || typeof t !== "number") return String(t);
    if (dates.suffix) return `${t * dates.unit}${dates.suffix}`;
    const date = new Date(dates.zero + t * dates.unit);
    return isNaN(date)
      ? String(t)
      : date
          .toISOString()
          .replace(/\.0*Z$|Z$/, "")
          .slice(dates.stem.length)
          .replace(new RegExp(`${dates.tail}$`), "") + dates.zone;
  };
  // Periods are called as the user wrote them.
  const named = (U) => (page.named || {})[U] || U;
  const between = (start, end) => `(${when(start)}, ${when(end)}]`;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  if (page.strip) agree();
  for (const table of document.querySelectorAll("table.phase"))
    phase(table, page.diagrams[table.dataset.diagram], table.dataset.diagram);
  for (const table of document.querySelectorAll("table.sorted")) sortable(table);
  for (const button of document.querySelectorAll("button[data-csv]"))
    button.addEventListener("click", () => {
      const table = $(button.dataset.csv);
      csv(
        button.dataset.csv,
        [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
      );
    });
  for (const link of document.querySelectorAll("a[data-line]")) {
    const line = $(`line-${link.dataset.line}`);
    for (const [name, lit] of [
      ["mouseenter", true],
      ["focus", true],
      ["mouseleave", false],
      ["blur", false],
    ])
      link.addEventListener(name, () => {
        if (line) line.classList.toggle("lit", lit);
      });
  }
  for (const line of document.querySelectorAll("pre.query, .query .line")) coloured(line);
  const time = $("steps") ? stepped(page.moving) : () => null;
  if (page.played && window.parent !== window) played(time);
  if ($("proof")) $("proof").append(told({ document: data, lines: page.lines }));
  if ($("measures")) measured(page.windows, $("measures"));
  if ($("only-wrong"))
    $("only-wrong").addEventListener("change", () => {
      for (const row of document.querySelectorAll("#windows tbody tr"))
        row.hidden = $("only-wrong").checked && row.className !== "bad";
    });
  for (const cell of document.querySelectorAll(".cell")) {
    const show = () => {
      if (!cell.open || cell.querySelector("svg")) return;
      const box = make("div");
      cell.append(box);
      measured(page.cells[cell.dataset.cell].windows, box, page.cells[cell.dataset.cell]);
    };
    cell.addEventListener("toggle", show);
    show();
  }

  function agree() {
    const ALL = page.timeline,
      first = ALL[0],
      last = Math.max(ALL[1], ALL[0] + 1);
    const state = {
      period: (page.strip.find((one) => one.agree === false) || page.strip[0]).period,
      chosen: null,
      view: [first - 0.5, last + 0.5],
      cursor: null,
      shown: 50,
      side: null,
    };

    // Verdicts
    const used = new Set();
    for (const cell of document.querySelectorAll(".cells")) strip(cell, page.strip[cell.dataset.strip]);
    for (const [, cause] of page.counts.columns) used.add(cause);
    for (const place of [...used].sort((one, other) => one - other)) {
      const cause = page.causes[place],
        item = make("li");
      item.append(
        make("span", cause ? cause.letter : "?", { class: "key", style: `background: var(--c${place})` }),
        `${cause ? cause.name : "several"}${rows(place)}`,
      );
      if (cause) item.title = cause.says;
      $("legend").append(item);
    }
    function rows(cause) {
      const count = page.counts.lines.reduce(
        (sum, line) =>
          sum +
          line.cells.reduce(
            (own, [found], place) => own + (page.counts.columns[place][1] === cause ? found : 0),
            0,
          ),
        0,
      );
      return count
        ? `: ${count} ${count === 1 ? "row" : "rows"}${page.lines_left ? " for the U shown" : ""}`
        : "";
    }
    const agreeing = make("li");
    agreeing.append(
      make("span", "·", { class: "key", style: "background: var(--agree); color: var(--ink)" }),
      "agree",
    );
    $("legend").prepend(agreeing);

    function strip(cell, one) {
      const span = last - first || 1,
        svg = drawing("svg", { viewBox: "0 0 1000 20", preserveAspectRatio: "none", role: "img" });
      svg.setAttribute("aria-label", `U = ${named(one.period)}: ${one.wrong} of ${one.whole} ${one.whole === 1 ? "period disagrees" : "periods disagree"}`);
      for (const [start, end, cause, count, wrong, causes] of one.cells) {
        const x = ((start - first) / span) * 1000,
          width = Math.max(((end - start) / span) * 1000 - 1.2, 0.8),
          bad = cause >= 0;
        if (bad) used.add(cause);
        // In a bar of several periods, the lower part is the share of periods that agree.
        const share = bad ? (18 * wrong) / count : 0;
        if (bad && wrong < count)
          svg.append(drawing("rect", { x, width, y: 1 + share, height: 18 - share, fill: "var(--agree)" }));
        const rect = drawing("rect", {
          x,
          width,
          y: bad ? 1 : 8,
          height: bad ? share : 5,
          fill: bad ? `var(--c${cause})` : "var(--agree)",
        });
        const title = drawing("title");
        title.textContent =
          `${between(start, end)}: ` +
          (bad
            ? `${wrong} of ${count} disagree, ${causes > 1 ? "most rows: " : ""}${(page.causes[cause] || { name: "names of blank nodes" }).name}`
            : "agree");
        rect.append(title);
        rect.addEventListener("click", () => {
          choosePeriod(one.period);
          see(start, end);
          choose(
            page.differences.findIndex(
              (row) => row.period === one.period && row.from >= start && row.to <= end,
            ),
          );
        });
        svg.append(rect);
      }
      cell.append(svg);
      letters(cell, one, span);
    }
    function letters(cell, one, span) {
      // Text in a stretched picture would be stretched too.
      cell.style.position = "relative";
      if (one.cells.length > 120) return;
      for (const [start, end, cause] of one.cells)
        if (cause >= 0)
          cell.append(
            make("span", page.causes[cause] ? page.causes[cause].letter : "?", {
              "aria-hidden": "true",
              style: `position:absolute;pointer-events:none;font-size:11px;line-height:20px;font-weight:700;color:var(--paper);top:1px;left:calc(.4rem + (100% - .8rem) * ${((start + end) / 2 - first) / span} - .35em)`,
            }),
          );
    }
    for (const one of page.strip)
      for (const id of ["period", "only-period"])
        $(id).append(make("option", named(one.period), { value: one.period }));
    page.causes.forEach((cause, place) => {
      if (page.differences.some((row) => row.cause === place))
        $("only-cause").append(make("option", cause.name, { value: place }));
    });
    for (const button of document.querySelectorAll("button.period"))
      button.addEventListener("click", () => {
        choosePeriod(+button.dataset.period);
        $("only-period").value = button.dataset.period;
        table();
      });
    $("period").addEventListener("change", () => choosePeriod(+$("period").value));
    for (const id of ["only-period", "only-cause"])
      $(id).addEventListener("change", () => {
        state.side = null;
        table();
      });
    $("more").addEventListener("click", () => {
      state.shown += 200;
      table();
    });
    function choosePeriod(period) {
      state.period = period;
      $("period").value = period;
      draw();
    }

    // Lanes: the elements of each stream in the order of time.
    const elements = page.elements,
      lanes = new Map();
    page.windows.forEach((one) => {
      if (one.stream) lanes.set(one.stream, []);
    });
    elements.stream.forEach((stream, place) => {
      const name = page.full[stream];
      if (!lanes.has(name)) lanes.set(name, []);
      lanes.get(name).push(place);
    });
    // Of a long trace there are counts in bins of time, and the elements behind the rows that are shown.
    for (const name of Object.keys((elements.bins || { streams: {} }).streams))
      if (!lanes.has(name)) lanes.set(name, []);
    const streams = [...lanes].map(([name, places]) => {
      places.sort((one, other) => elements.t[one] - elements.t[other]);
      return {
        name,
        short: shorten(name),
        places,
        times: Float64Array.from(places, (place) => elements.t[place]),
        bins:
          elements.bins && elements.bins.streams[name]
            ? { ...elements.bins, counts: elements.bins.streams[name] }
            : null,
      };
    });
    const binAt = (bins, t) => {
      const place = Math.floor((t - bins.first) / bins.width),
        from = bins.first + place * bins.width;
      return { count: bins.counts[place] || 0, from, to: Math.min(from + bins.width - 1, ALL[1]) };
    };
    function below(times, t) {
      let low = 0,
        high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] < t) low = middle + 1;
        else high = middle;
      }
      return low;
    }
    const triple = (place) => ["s", "p", "o"].map((part) => page.terms[elements[part][place]]).join(" ");

    // Answers: rows that differ come first.
    const answerRows = [],
      byRow = new Map();
    for (const side of ["push", "pull"])
      for (const [row, begin, end] of page[side].runs) {
        if (!byRow.has(row)) {
          byRow.set(row, { number: row, text: page.rows[row], push: [], pull: [] });
          answerRows.push(byRow.get(row));
        }
        byRow.get(row)[side].push([begin, end]);
      }
    const differing = new Set(page.differences.map((row) => row.number)),
      LANES = 14;
    answerRows.sort((one, other) => differing.has(other.number) - differing.has(one.number));
    // Those with an answer in view, the chosen difference first.
    function inView() {
      const [from, to] = state.view,
        chosen = state.chosen === null ? null : page.differences[state.chosen].number,
        seen = ([begin, end]) => end >= from && begin <= to;
      const found = answerRows.filter((row) => row.push.some(seen) || row.pull.some(seen));
      return [
        ...found.filter((row) => row.number === chosen),
        ...found.filter((row) => row.number !== chosen),
      ];
    }
    const pushTimes = Float64Array.from(page.push.times);

    // What a window shows at a time point: runs of intervals say it, whose ends stay or move.
    function shows(one, t) {
      let low = 0,
        high = one.runs.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (one.runs[middle][0] <= t) low = middle + 1;
        else high = middle;
      }
      if (!low) return null;
      const [start, begin, end, by, moved] = one.runs[low - 1];
      if (begin === null || (one.alone && start !== t)) return null;
      return [begin + (t - start) * by, end + (t - start) * moved];
    }
    window.larsShows = (place, t) => shows(page.windows[place], t);

    // Timeline
    const canvas = $("timeline"),
      pen = canvas.getContext("2d");
    let box = { width: 0, height: 0, left: 0 },
      scheduled = false;
    const x = (t) =>
      box.left + ((t - state.view[0]) / (state.view[1] - state.view[0])) * (box.width - box.left - 6);
    const timeAt = (at) =>
      Math.round(
        state.view[0] + ((at - box.left) / (box.width - box.left - 6)) * (state.view[1] - state.view[0]),
      );
    function draw() {
      if (!scheduled) {
        scheduled = true;
        requestAnimationFrame(paint);
      }
    }
    function paint() {
      scheduled = false;
      performance.mark("paint");
      const lane = 30,
        row = 16,
        width = canvas.clientWidth,
        all = inView(),
        rows = all.slice(0, LANES),
        lanesOfRows = Math.min(answerRows.length, LANES) + (answerRows.length > LANES),
        height = 24 + streams.length * lane + 44 + lanesOfRows * row + 8;
      const ratio = window.devicePixelRatio || 1,
        ink = colour("--ink"),
        soft = colour("--soft"),
        line = colour("--line"),
        push = colour("--push"),
        pull = colour("--pull"),
        lit = colour("--lit"),
        shade = colour("--shade"),
        bad = colour("--bad");
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.height = `${height}px`;
      }
      box = { width, height, left: width < 600 ? 74 : 150 };
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      pen.font = "12px system-ui, sans-serif";
      pen.textBaseline = "middle";
      const label = (text, y, style) => {
        pen.fillStyle = style;
        let shown = text;
        while (pen.measureText(shown).width > box.left - 8 && shown.length > 2)
          shown = shown.slice(0, -2) + "…";
        pen.textAlign = "right";
        pen.fillText(shown, box.left - 5, y);
      };
      // periods of the chosen U, those that disagree shaded
      const one = page.strip.find((found) => found.period === state.period) || { cells: [] },
        U = state.period,
        dense = x(U) - x(0) < 5;
      pen.save();
      pen.beginPath();
      pen.rect(box.left, 0, width - box.left, height);
      pen.clip();
      for (const [start, end, cause] of one.cells)
        if (cause >= 0 && end >= state.view[0] && start <= state.view[1]) {
          pen.globalAlpha = 0.16;
          pen.fillStyle = bad;
          pen.fillRect(x(start + 0.5), 20, Math.max(x(end + 0.5) - x(start + 0.5), 1), height - 20);
          pen.globalAlpha = 1;
        }
      axis(height, line, soft);
      let y = 24;
      const support = state.chosen === null ? new Set() : new Set(page.differences[state.chosen].support);
      for (const stream of streams) {
        pen.strokeStyle = line;
        pen.beginPath();
        pen.moveTo(box.left, y + lane - 0.5);
        pen.lineTo(width, y + lane - 0.5);
        pen.stroke();
        if (state.cursor !== null)
          for (const found of page.windows)
            if (found.stream === null || found.stream === stream.name) {
              const ends = shows(found, state.cursor),
                under = found.side === "push";
              if (!ends) continue;
              pen.strokeStyle = pen.fillStyle = under ? push : pull;
              pen.globalAlpha = 0.18;
              const left = x(ends[0] - 0.35),
                wide = Math.max(x(ends[1] + 0.35) - left, 3),
                top = y + (under ? 16 : 3);
              pen.fillRect(left, top, wide, 11);
              pen.globalAlpha = 1;
              pen.lineWidth = 1.5;
              pen.setLineDash(under ? [4, 2] : []);
              pen.strokeRect(left, top, wide, 11);
              pen.setLineDash([]);
              pen.lineWidth = 1;
            }
        marks(stream, y, lane, ink, lit, support);
        y += lane;
      }
      if (page.push.bins) bars(page.push.bins, y + 2, 16, push);
      else ticks(pushTimes, y + 4, push, "▾");
      ticks(null, y + 24, pull, "▴");
      const evaluations = y;
      y += 44;
      for (const found of rows) {
        for (const [side, at, style] of [
          ["push", y + 2, push],
          ["pull", y + 9, pull],
        ])
          for (const [begin, end] of found[side]) {
            if (end < state.view[0] || begin > state.view[1]) continue;
            pen.fillStyle = style;
            if (side === "push")
              pen.fillRect(x(begin - 0.3), at, Math.max(x(end + 0.3) - x(begin - 0.3), 2), 5);
            else if (dense) pen.fillRect(x(begin), at, Math.max(x(end) - x(begin), 2), 5);
            else
              for (
                let t = Math.ceil(Math.max(begin, state.view[0]) / U) * U;
                t <= Math.min(end, state.view[1]);
                t += U
              )
                pen.fillRect(x(t) - 3, at, 6, 5);
          }
        y += row;
      }
      if (state.cursor !== null) {
        pen.strokeStyle = lit;
        pen.beginPath();
        pen.moveTo(x(state.cursor), 16);
        pen.lineTo(x(state.cursor), height);
        pen.stroke();
      }
      pen.restore();
      y = 24;
      for (const stream of streams) {
        label(stream.short, y + lane / 2, ink);
        y += lane;
      }
      label(width < 600 ? "push" : "push evaluates", evaluations + 10, push);
      label(`pull, U = ${named(U)}`, evaluations + 30, pull);
      y += 44;
      for (const found of rows) {
        label(found.text, y + 8, differing.has(found.number) ? bad : soft);
        y += row;
      }
      if (all.length > rows.length) label(`… ${all.length - rows.length} more`, y + 8, soft);
      performance.measure("draw", "paint");
    }
    function axis(height, line, soft) {
      const span = state.view[1] - state.view[0],
        step = round(span / Math.max(2, (box.width - box.left) / Math.max(80, 9 * when(first).length)));
      pen.textAlign = "center";
      pen.fillStyle = soft;
      pen.strokeStyle = line;
      for (let t = Math.ceil(state.view[0] / step) * step; t <= state.view[1]; t += step) {
        pen.beginPath();
        pen.moveTo(x(t), 18);
        pen.lineTo(x(t), height);
        pen.stroke();
        const said = when(t),
          half = pen.measureText(said).width / 2;
        pen.fillText(said, Math.min(Math.max(x(t), box.left + half), box.width - half), 9);
      }
    }
    function bars(bins, y, tall, style) {
      // counts of whole bins: as wide as a bin, as high as it has most
      const begin = Math.max(0, Math.floor((state.view[0] - bins.first) / bins.width)),
        end = Math.min(bins.counts.length, Math.ceil((state.view[1] - bins.first) / bins.width) + 1);
      let most = 1;
      for (let place = begin; place < end; place++) most = Math.max(most, bins.counts[place]);
      pen.fillStyle = style;
      for (let place = begin; place < end; place++)
        if (bins.counts[place]) {
          const left = x(bins.first + place * bins.width - 0.5),
            wide = Math.max(x(bins.first + (place + 1) * bins.width - 0.5) - left, 1),
            high = Math.max((bins.counts[place] / most) * tall, 1);
          pen.globalAlpha = 0.55;
          pen.fillRect(left, y + tall - high, wide, high);
          pen.globalAlpha = 1;
        }
    }
    function marks(stream, y, lane, ink, lit, support) {
      if (stream.bins) bars(stream.bins, y + 2, lane - 4, ink);
      const begin = below(stream.times, state.view[0]),
        end = below(stream.times, state.view[1] + 1);
      pen.fillStyle = ink;
      if (end - begin <= 1500) {
        let before = NaN,
          stack = 0;
        for (let place = begin; place < end; place++) {
          const t = stream.times[place];
          stack = t === before ? stack + 1 : 0;
          before = t;
          if (stack > 5) continue;
          pen.beginPath();
          pen.arc(x(t) + stack * 2, y + lane / 2, 2.6, 0, 7);
          pen.fill();
        }
      } else {
        // more than can be told apart: how many there are in each column of pixels
        let place = begin,
          most = 1;
        const counts = [];
        for (let at = box.left; at < box.width; at++) {
          const next = below(
            stream.times,
            state.view[0] +
              ((at + 1 - box.left) / (box.width - box.left - 6)) * (state.view[1] - state.view[0]),
          );
          counts.push(next - place);
          most = Math.max(most, next - place);
          place = next;
        }
        counts.forEach((count, at) => {
          const tall = (count / most) * (lane - 4);
          pen.fillRect(box.left + at, y + lane - 2 - tall, 1, tall);
        });
      }
      for (const place of support)
        if (page.full[elements.stream[place]] === stream.name) {
          pen.fillStyle = lit;
          pen.beginPath();
          pen.arc(x(elements.t[place]), y + lane / 2, 5.5, 0, 7);
          pen.fill();
        }
    }
    function ticks(times, y, style, mark) {
      pen.fillStyle = style;
      pen.textAlign = "center";
      const limit = (box.width - box.left) / 3;
      if (times) {
        const begin = below(times, state.view[0]),
          end = below(times, state.view[1] + 1);
        if (end - begin > limit) {
          pen.fillRect(x(times[begin]), y + 4, x(times[end - 1]) - x(times[begin]), 4);
          return;
        }
        for (let place = begin; place < end; place++) pen.fillText(mark, x(times[place]), y + 6);
        return;
      }
      if ((state.view[1] - state.view[0]) / state.period > limit) {
        pen.fillRect(
          x(Math.max(first, state.view[0])),
          y + 4,
          x(Math.min(last, state.view[1])) - x(Math.max(first, state.view[0])),
          4,
        );
        return;
      }
      for (
        let t = Math.max(0, Math.ceil(Math.max(first, state.view[0]) / state.period)) * state.period;
        t <= Math.min(last, state.view[1]);
        t += state.period
      )
        pen.fillText(mark, x(t), y + 6);
    }
    function look(t) {
      t = Math.min(Math.max(t, first), last);
      if (t === state.cursor) return;
      state.cursor = t;
      if (t < state.view[0] || t > state.view[1]) {
        const half = (state.view[1] - state.view[0]) / 2;
        see(t - half, t + half, true);
      }
      tell(t);
      draw();
    }
    function tell(t) {
      const here = $("here"),
        list = make("ul"),
        pushed = !page.push.bins && pushTimes[below(pushTimes, t)] === t,
        pulled = t % state.period === 0;
      here.textContent = "";
      here.append(
        make("strong", dates ? `${dates.stem}${when(t)}` : `t = ${t}`),
        `${dates ? "" : ` time points of ${page.unit}`}${pushed ? "; push evaluates" : ""}${pulled ? "; pull evaluates" : ""}${page.push.bins ? `; ${inBin(page.push.bins, t, "evaluation", "of push")}` : ""}`,
      );
      for (const stream of streams) {
        const begin = below(stream.times, t),
          end = below(stream.times, t + 1);
        const counted = stream.bins !== null,
          around = counted ? inBin(stream.bins, t, "element") : "";
        const seen = page.windows
          .filter((one) => one.stream === null || one.stream === stream.name)
          .map((one) => {
            const ends = shows(one, t),
              at = ends && `${when(ends[0])}..${when(ends[1])}`;
            return `${one.side} ${one.label} ${ends ? `contains ${at}${counted ? "" : ` (${below(stream.times, ends[1] + 1) - below(stream.times, ends[0])})`}` : one.alone ? "shown only at the times of the rows below" : "contains nothing"}`;
          });
        const arrived = [...Array(Math.min(end - begin, 4)).keys()]
          .map((place) => triple(stream.places[begin + place]))
          .join(" · ");
        list.append(
          make(
            "li",
            `${stream.short}: ${[around, arrived && counted ? `input of the row: ${arrived}` : arrived + (end - begin > 4 ? ` … ${end - begin} in all` : ""), ...seen].filter(Boolean).join("; ")}`,
          ),
        );
      }
      here.append(list);
    }
    function inBin(bins, t, noun, whose) {
      const { count, from, to } = binAt(bins, t);
      return `${count} ${noun}${count === 1 ? "" : "s"}${whose ? ` ${whose}` : ""} ${from === to ? `at ${when(from)}` : `in ${when(from)}..${when(to)}`}`;
    }
    function see(from, to, keep) {
      const room = keep ? 0 : Math.max((to - from) * 0.8, 3);
      view(from - room, to + room);
    }
    function view(from, to) {
      // never beyond the timeline
      const span = Math.min(to - from, last - first + 1),
        start = Math.min(Math.max(from, first - 0.5), last + 0.5 - span);
      state.view = [start, start + span];
      draw();
    }
    function zoom(factor, around) {
      const middle =
          around === undefined
            ? state.cursor === null
              ? (state.view[0] + state.view[1]) / 2
              : state.cursor
            : around,
        most = last - first + 1;
      const span = Math.max((state.view[1] - state.view[0]) * factor, Math.min(4, most)),
        share = (middle - state.view[0]) / (state.view[1] - state.view[0]);
      view(middle - span * share, middle + span * (1 - share));
    }
    function pan(by) {
      view(state.view[0] + by, state.view[1] + by);
    }
    const pointers = new Map();
    let dragged = 0;
    canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event.offsetX);
      canvas.setPointerCapture(event.pointerId);
      dragged = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const scale = (state.view[1] - state.view[0]) / (box.width - box.left - 6);
      if (!pointers.has(event.pointerId)) {
        if (event.offsetX > box.left) look(timeAt(event.offsetX));
        return;
      }
      const before = [...pointers.values()],
        moved = event.offsetX - pointers.get(event.pointerId);
      pointers.set(event.pointerId, event.offsetX);
      dragged += Math.abs(moved);
      if (pointers.size === 1) pan(-moved * scale);
      else {
        const now = [...pointers.values()],
          wide = Math.abs(now[0] - now[1]);
        if (wide > 8) zoom(Math.abs(before[0] - before[1]) / wide, timeAt((now[0] + now[1]) / 2));
      }
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (event) => {
        pointers.delete(event.pointerId);
        if (dragged < 3 && event.offsetX > box.left) look(timeAt(event.offsetX));
      });
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
        } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          event.preventDefault();
          pan((event.deltaX * (state.view[1] - state.view[0])) / box.width);
        }
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => {
      const by = event.shiftKey ? 10 : 1,
        at = state.cursor === null ? Math.round((state.view[0] + state.view[1]) / 2) : state.cursor;
      const acts = {
        ArrowLeft: () => look(at - by),
        ArrowRight: () => look(at + by),
        Home: () => look(first),
        End: () => look(last),
        PageUp: () => pan((state.view[0] - state.view[1]) / 2),
        PageDown: () => pan((state.view[1] - state.view[0]) / 2),
        "+": () => zoom(0.7),
        "=": () => zoom(0.7),
        "-": () => zoom(1.4),
        0: whole,
        n: () => step(1),
        p: () => step(-1),
      };
      if (!event.ctrlKey && !event.metaKey && !event.altKey && acts[event.key]) {
        event.preventDefault();
        acts[event.key]();
      }
    });
    function whole() {
      state.view = [first - 0.5, last + 0.5];
      draw();
    }
    $("zoom-in").addEventListener("click", () => zoom(0.6));
    $("zoom-out").addEventListener("click", () => zoom(1.6));
    $("zoom-all").addEventListener("click", whole);
    new ResizeObserver(draw).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    // Paper is light, whatever the screen is.
    for (const [name, prints] of [
      ["beforeprint", true],
      ["afterprint", false],
    ])
      addEventListener(name, () => {
        document.documentElement.classList.toggle("printing", prints);
        paint();
      });

    // Differences
    function wanted() {
      const period = $("only-period").value,
        cause = $("only-cause").value,
        text = $("only-text").value.toLowerCase();
      return page.differences
        .map((_, place) => place)
        .filter((place) => {
          const row = page.differences[place];
          return (
            (!state.side || row.side === state.side) &&
            (!period || row.period === +period) &&
            (!cause || row.cause === +cause) &&
            row.row.toLowerCase().includes(text)
          );
        });
    }
    $("only-text").addEventListener("input", table);
    $("as-csv").addEventListener("click", () =>
      csv("differences", [
        [...page.columns, "cause", "only in", "U", "from", "to", "pushed"],
        ...wanted().map((place) => {
          const row = page.differences[place];
          return [
            ...row.terms,
            page.causes[row.cause].name,
            row.side,
            named(row.period),
            ...[row.from, row.to, row.pushed].map((t) => (t === null ? t : when(t))),
          ];
        }),
      ]),
    );
    function table() {
      const body = document.querySelector("#differences tbody"),
        places = wanted();
      body.textContent = "";
      for (const place of places.slice(0, state.shown)) {
        const row = page.differences[place],
          line = make("tr", null, { "data-place": place }),
          cell = make("td"),
          button = make("button", row.row, {
            type: "button",
            class: "row",
            title: row.terms.map((term) => term ?? "unbound").join(" "),
          }),
          cause = make("td");
        if (place === state.chosen) line.className = "chosen";
        button.addEventListener("click", () => choose(place));
        cell.append(button);
        cause.append(
          make("span", page.causes[row.cause].letter, {
            class: "key",
            style: `background: var(--c${row.cause})`,
            "aria-hidden": "true",
          }),
          page.causes[row.cause].name,
        );
        line.append(
          cell,
          cause,
          make("td", row.side),
          make("td", named(row.period), { class: "number" }),
          make("td", dates ? when(row.to) : between(row.from, row.to), { title: between(row.from, row.to) }),
          make("td", row.pushed === null ? "–" : when(row.pushed), { class: "number" }),
        );
        body.append(line);
      }
      $("more").hidden = places.length <= state.shown;
      const left = page.more
        ? ` shown as examples of each cause; this report omits ${page.more} more${page.lines_left ? "" : ", counted above"}; --json and --out write all rows`
        : "";
      $("count").textContent = places.length
        ? `${places.length} ${places.length === 1 ? "row" : "rows"}${left}`
        : page.differences.length
          ? `none of the shown rows${page.more ? "; the table above counts more rows" : ""}`
          : "no row: both sides report the same";
    }
    function step(by) {
      const places = wanted();
      if (places.length) choose(places[(places.indexOf(state.chosen) + by + places.length) % places.length]);
    }
    function choose(place, quiet) {
      if (place < 0) return;
      state.chosen = place;
      if (!quiet) history.replaceState(null, "", `#difference-${place}`); // a link to the page leads to it
      const row = page.differences[place],
        cause = page.causes[row.cause],
        detail = $("detail"),
        proof = page.proofs[place];
      for (const line of document.querySelectorAll("#differences tr[data-place]"))
        line.className = +line.dataset.place === place ? "chosen" : "";
      choosePeriod(row.period);
      see(Math.min(row.from, ...row.support.map((one) => elements.t[one])), row.to);
      state.cursor = null;
      look(row.side === "push" && row.pushed !== null ? row.pushed : row.to);
      detail.textContent = "";
      detail.append(
        make("h3", `${row.row}: only ${row.side} reports this row in ${between(row.from, row.to)}`),
        make("p", `${cause.name[0].toUpperCase()}${cause.name.slice(1)}. ${cause.says}`),
        make("p", `To remove this difference: ${cause.change}`),
      );
      const list = make("ul");
      for (const one of row.support)
        list.append(
          make(
            "li",
            `${when(elements.t[one])}: ${triple(one)} (${shorten(page.full[elements.stream[one]])})`,
          ),
        );
      if (row.support_left) list.append(make("li", `… and ${row.support_left} more`));
      detail.append(
        make("h4", "Input of the row"),
        row.support.length ? list : make("p", "none: the proof of the row contains no triple"),
      );
      if (row.command) {
        const more = make(
          "p",
          proof ? "The whole proof: " : "This report omits the proof of this row. To print the proof: ",
          { class: "hint command" },
        );
        more.append(make("code", row.command));
        detail.append(more);
      }
      if (!proof) {
        if (!row.command)
          detail.append(
            make("p", "This report omits the proof of this row. lars explain prints the proof.", {
              class: "hint",
            }),
          );
        return;
      }
      const other = row.side === "push" ? "pull" : "push";
      detail.append(
        make("h4", `Why ${row.side} reports the row at ${when(proof.at)}`),
        told(proof.why),
        make("h4", `Why ${other} does not report the row at ${when(proof.other_at)}`),
        told(proof.lacks),
      );
    }
    table();
    $("period").value = state.period;
    paint();
    const linkedTo = location.hash.match(/^#difference-(\d+)$/);
    if (linkedTo && page.differences[linkedTo[1]]) choose(+linkedTo[1]);
    else if (page.differences.length) choose(page.first || 0, true);
    heat();

    // How many rows by U and cause; a cell leads to its rows.
    function heat() {
      const body = document.querySelector("#counts tbody");
      if (!body) return;
      const most = Math.max(1, ...page.counts.lines.flatMap((line) => line.cells.map(([rows]) => rows)));
      for (const cell of body.querySelectorAll("td[data-rows]")) {
        const rows = +cell.dataset.rows;
        if (rows)
          cell.style.background = `color-mix(in srgb, var(--bad) ${Math.round(8 + (32 * Math.log1p(rows)) / Math.log1p(most))}%, var(--paper))`;
      }
      for (const button of body.querySelectorAll("button"))
        button.addEventListener("click", () => {
          $("only-period").value = button.dataset.period;
          $("only-cause").value = button.dataset.cause;
          state.side = button.dataset.side;
          table();
          choose(wanted()[0] ?? -1);
        });
    }

    // Query and logic
    for (const pair of document.querySelectorAll(".pair")) {
      const lines = [...pair.querySelectorAll(".line")],
        rules = [...pair.querySelectorAll(".rule")];
      const linked = (rule) => rule.dataset.lines.split(" ").filter(Boolean).map(Number);
      const light = (some, rule) => {
        lines.forEach((line, place) => line.classList.toggle("lit", some.includes(place)));
        rules.forEach((one) =>
          one.classList.toggle(
            "lit",
            rule ? one === rule : linked(one).some((place) => some.includes(place)),
          ),
        );
      };
      for (const rule of rules)
        for (const name of ["mouseenter", "focus"])
          rule.addEventListener(name, () => light(linked(rule), rule));
      lines.forEach((line, place) => {
        if (rules.some((rule) => linked(rule).includes(place))) {
          line.tabIndex = 0;
          for (const name of ["mouseenter", "focus"]) line.addEventListener(name, () => light([place]));
        }
      });
      pair.addEventListener("mouseleave", () => light([]));
    }
  }

  // The next 1, 2 or 5 times a power of ten.
  function round(raw) {
    const power = 10 ** Math.floor(Math.log10(raw));
    return Math.max(1, [1, 2, 5, 10].find((one) => one * power >= raw) * power);
  }

  // Tables: sorted by a column, numbers as numbers; taken away as CSV.
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const button = make("button", "", { type: "button", class: "sort" });
      button.append(...head.childNodes);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending",
          body = table.tBodies[0],
          key = (row) => row.cells[place].textContent.trim();
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append(...[...body.rows].sort((one, other) => compared(key(one), key(other)) * (down ? -1 : 1)));
      });
      head.replaceChildren(button);
    });
  }
  function compared(one, other) {
    const numbers = [one, other].map((text) => (text === "" ? NaN : Number(text)));
    return numbers.some(Number.isNaN)
      ? one.localeCompare(other, undefined, { numeric: true })
      : numbers[0] - numbers[1];
  }
  function csv(name, rows) {
    const text = rows
      .map((row) =>
        row
          .map((cell) => {
            const said = String(cell ?? "");
            return /[",\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
          })
          .join(","),
      )
      .join("\r\n");
    const address = URL.createObjectURL(new Blob([text, "\r\n"], { type: "text/csv" })),
      link = make("a", null, { href: address, download: `${name}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // Words of a query's language, its variables and its terms, each in a colour; the text stays as it is.
  function coloured(box) {
    const parts =
        /(#[^\n]*)|("(?:[^"\\\n]|\\.)*"|<[^<>\s]*>)|([?$]\w+)|\b(PREFIX|BASE|REGISTER|QUERY|STREAM|AS|SELECT|CONSTRUCT|ASK|DISTINCT|REDUCED|FROM|NAMED|WINDOW|ON|WHERE|RANGE|STEP|SLIDE|TRIPLES|TUMBLING|PHYSICAL|NOW|ALL|ROWS|GRAPH|OPTIONAL|UNION|MINUS|FILTER|NOT|EXISTS|BIND|VALUES|SERVICE|GROUP|BY|HAVING|ORDER|ASC|DESC|LIMIT|OFFSET|COUNT|SUM|AVG|MIN|MAX|SAMPLE|GROUP_CONCAT|COMPUTED|EVERY|RSTREAM|ISTREAM|DSTREAM|IN)\b/gi,
      text = box.textContent,
      found = [];
    let end = 0;
    for (const match of text.matchAll(parts)) {
      found.push(
        text.slice(end, match.index),
        make("span", match[0], {
          class: match[1] ? "comment" : match[2] ? "term" : match[3] ? "variable" : "keyword",
        }),
      );
      end = match.index + match[0].length;
    }
    box.replaceChildren(...found, text.slice(end));
  }

  // Proofs as trees.
  function shorten(name) {
    return (
      name
        .replace(/[/#]+$/, "")
        .split(/[/#]/)
        .pop() || name
    );
  }
  function told(found) {
    if (found.document && found.document.proof) {
      const tree = make("ul", null, { class: "tree" });
      tree.append(node(found.document.proof));
      return tree;
    }
    const box = make("div", null, {
      class: "wide",
      tabindex: "0",
      role: "group",
      "aria-label": "explanation",
    });
    box.append(make("pre", found.lines.join("\n")));
    return box;
  }
  function brief(text) {
    return text.replace(/<[^<>]*[/#]([^<>/#]+)>/g, ":$1").replace(/"([^"]*)"\^\^:\w+/g, "$1");
  }
  function worth(value) {
    return typeof value === "string"
      ? value
      : value && value.value !== undefined
        ? shorten(value.value)
        : String(value);
  }
  function node(one) {
    const item = make("li");
    if (one.kind !== "derived") {
      item.append(
        make(
          "span",
          one.s
            ? `${when(one.t)}: ${[one.s, one.p, one.o].map((term) => shorten(term.value)).join(" ")}`
            : brief(one.atom || `nothing in ${when(one.from)}..${when(one.to)}`),
          { class: "input" },
        ),
        make(
          "small",
          ` ${{ input: "input", known: "given", absent: "does not hold" }[one.kind] || one.kind}${one.windows && one.windows.length ? ` in ${one.windows.map((seen) => `${seen.window} = ${when(seen.from)}..${when(seen.to)}`).join(" of ")}` : ""}`,
        ),
      );
      return item;
    }
    if (one.repeated) {
      item.textContent = `${brief(one.atom)} (shown elsewhere)`;
      return item;
    }
    // A rule with its values in place of its variables: the head is what it derives.
    // All at once, since a value may be called as another variable; and not inside of terms.
    const binding = one.binding || {},
      words = /<[^<>\s]*>|"(?:[^"\\]|\\.)*"|\?([\p{L}\p{N}_]+)|(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{N}_]*/gu,
      filled = one.text.replace(words, (found, name) =>
        Object.hasOwn(binding, name ?? found) ? worth(binding[name ?? found]) : found,
      ),
      box = make("details", null, { open: "" }),
      head = make("summary", brief(filled.split("←")[0].trim()));
    head.append(make("small", ` by rule ${one.rule}`));
    head.title = brief(one.text);
    const list = make("ul"),
      shown = one.premises.filter(
        (premise) =>
          !(premise.evidence.length === 1 && premise.evidence[0].repeated && premise.literal === "trigger"),
      );
    for (const premise of shown) {
      if (premise.evidence.length) premise.evidence.forEach((found) => list.append(node(found)));
      else list.append(make("li", `${brief(premise.literal)}${premise.why ? `: ${premise.why}` : ""}`));
    }
    box.append(head, list);
    item.append(box);
    return item;
  }

  // Shares by U and L: one cell can be focused, arrow keys lead to the others.
  function phase(table, one, number) {
    const every = document.querySelector(`.every[data-diagram="${number}"]`),
      here = $(`cell-${number}`),
      periods = one.periods;
    // Lengths between which nothing changes are one row.
    const changes = one.lengths.map(
      (_, place) => place > 0 && periods.some((row) => row.agreeing[place] !== row.agreeing[place - 1]),
    );
    const SCALE = [
      [0, 34, 78],
      [53, 69, 108],
      [102, 105, 112],
      [148, 142, 119],
      [200, 184, 102],
      [254, 232, 56],
    ];
    const shade = (share) => {
      const at = share * (SCALE.length - 1),
        low = Math.min(Math.floor(at), SCALE.length - 2);
      return SCALE[low].map((value, part) => Math.round(value + (SCALE[low + 1][part] - value) * (at - low)));
    };
    const bright = (rgb) =>
      rgb.reduce((sum, value, part) => sum + [0.2126, 0.7152, 0.0722][part] * (value / 255) ** 2.2, 0) > 0.18;
    function fill() {
      const starts = one.lengths
          .map((_, place) => place)
          .filter((place) => place === 0 || every.checked || changes[place]),
        head = make("tr"),
        body = make("tbody"),
        top = make("thead");
      head.append(
        make("th", "L \\ U", { scope: "col" }),
        ...periods.map((row) => make("th", named(row.period), { scope: "col" })),
      );
      top.append(head);
      starts
        .map((place, at) => [place, (starts[at + 1] || one.lengths.length) - 1])
        .reverse()
        .forEach(([place, end]) => {
          const line = make("tr"),
            low = one.lengths[place],
            high = one.lengths[end],
            own = low <= page.own && page.own <= high;
          line.append(
            make("th", lengths(low, high) + (own ? " ◂" : ""), { scope: "row" }),
          );
          for (const row of periods) line.append(square(row, place, low, high, own));
          body.append(line);
        });
      table.replaceChildren(top, body);
      table.querySelector("td").tabIndex = 0;
    }
    // 66.7 for two of three; never 100 or 0 for what is not all or none.
    function percent(share) {
      const shown = Math.round(share * 1000) / 10;
      return share < 1 && shown >= 100 ? "99.9" : share > 0 && shown <= 0 ? "0.1" : String(shown);
    }
    function square(row, place, low, high, own) {
      const share = row.agreeing[place] / row.whole,
        cell = make("td", row.whole ? percent(share) : "–", { tabindex: -1 });
      if (row.whole) {
        const rgb = shade(share);
        cell.style.background = `rgb(${rgb})`;
        cell.style.color = bright(rgb) ? "#000" : "#fff";
      }
      cell.title = `U = ${named(row.period)}, L = ${lengths(low, high)}: ${row.whole ? `${row.agreeing[place]} of ${row.whole} ${row.whole === 1 ? "period agrees" : "periods agree"}` : "no whole period"}`;
      cell.addEventListener("click", () => {
        focused(cell);
        tell(cell.title, row.period, own ? page.own : low, own);
      });
      return cell;
    }
    function lengths(low, high) {
      const ends = low === high ? [low] : [low, high];
      return ends.map((L) => (page.namedLengths || {})[L] || L).join("..");
    }
    function tell(said, U, L, own) {
      const list = make("ul");
      if (page.commands.length) list.append(
        told(`${page.commands[0]} --period ${named(U)} --length ${lengths(L, L)}${one.rate === 1 ? "" : ` --rate ${one.rate}`}`),
      );
      if (page.commands.length && own && one.rate === 1)
        list.append(
          told(
            `${page.commands[1]} --period ${named(U)}`,
            ": compares with the window length of the query, and prints each period, row and cause",
          ),
        );
      here.replaceChildren(make("p", said), list);
    }
    function told(command, more) {
      const item = make("li");
      item.append(make("code", command), more || "");
      return item;
    }
    function focused(cell) {
      for (const other of table.querySelectorAll("td[tabindex='0']")) other.tabIndex = -1;
      cell.tabIndex = 0;
      cell.focus();
    }
    table.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td");
      if (!cell) return;
      const line = cell.parentElement,
        next = {
          ArrowLeft: cell.previousElementSibling,
          ArrowRight: cell.nextElementSibling,
          Home: line.cells[1],
          End: line.cells[line.cells.length - 1],
          ArrowUp: line.previousElementSibling && line.previousElementSibling.cells[cell.cellIndex],
          ArrowDown: line.nextElementSibling && line.nextElementSibling.cells[cell.cellIndex],
        }[event.key];
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        cell.click();
      } else if (next && next.tagName === "TD") {
        event.preventDefault();
        focused(next);
      }
    });
    every.addEventListener("change", fill);
    fill();
  }

  // Precision, recall and delay of windows over time, the wrong ones marked; as wide as there is room.
  function measured(found, box, own = page) {
    const windows = found.filter((one) => one.phase === "windows"),
      delays = windows.map((one) => one.delay).filter((delay) => delay !== null && delay !== undefined),
      most = Math.max(1, ...delays);
    const lines = [
      ["precision", (one) => one.precision, "var(--push)", (one) => `precision ${one.precision}`, "1"],
      ["recall", (one) => one.recall, "var(--push)", (one) => `recall ${one.recall}`, "1"],
    ];
    if (delays.length)
      lines.push([
        "delay, ms",
        (one) => (one.delay === null || one.delay === undefined ? null : one.delay / most),
        "var(--push)",
        (one) => `${one.delay} ms`,
        String(Math.round(most * 1000) / 1000),
      ]);
    const rows = Math.max(1, ...windows.map((one) => Math.max(one.expected, one.actual)));
    lines.push([
      "rows",
      (one) => one.expected / rows,
      "var(--push)",
      (one) => `${one.expected} expected, ${one.actual} reported`,
      String(rows),
      (one) => one.actual / rows,
    ]);
    const times = windows.map((one) => one.to),
      draw = () => {
        dates = own.dates;
        const width = Math.max(box.clientWidth, 280),
          left = 84,
          right = width - 20,
          tall = lines.length * 76 + 36,
          svg = drawing("svg", { viewBox: `0 0 ${width} ${tall}`, width, height: tall, role: "img" });
        svg.setAttribute(
          "aria-label",
          `precision, recall and delay of ${windows.length} windows, of which ${windows.filter((one) => one.problem).length} are wrong`,
        );
        const low = Math.min(...times),
          high = Math.max(...times),
          ordered =
            times.every((t, at) => typeof t === "number" && (at === 0 || t >= times[at - 1])) && high > low;
        const place = (number) =>
          windows.length < 2
            ? (left + right) / 2
            : left +
              8 +
              (ordered ? (times[number] - low) / (high - low) : number / (windows.length - 1)) *
                (right - left - 8);
        const text = (content, x, y, anchor) => {
          const label = drawing("text", {
            x,
            y,
            "text-anchor": anchor,
            "font-size": 12,
            fill: "currentColor",
          });
          label.textContent = content;
          svg.append(label);
        };
        const apart = Math.min(
            ...windows.map((_, number) => (number ? place(number) - place(number - 1) : right - left)),
          ),
          bar = Math.max(1.5, Math.min(14, apart * 0.7)),
          two = Math.max(bar / 2, 1);
        const bars = (base, value, style, shift, wide, said) =>
          windows.forEach((one, number) => {
            const share = value(one);
            if (share === null || share === undefined) return;
            const high = Math.max(share * 50, share > 0 || one.problem ? 1.5 : 0),
              rect = drawing("rect", {
                x: (place(number) + shift - wide / 2).toFixed(1),
                y: (base - high).toFixed(1),
                width: wide.toFixed(1),
                height: high.toFixed(1),
                fill: one.problem && style !== "var(--pull)" ? "var(--bad)" : style,
              }),
              title = drawing("title");
            title.textContent = `up to ${when(one.to)}: ${said(one)}; ${one.problem || "correct"}`;
            rect.append(title);
            svg.append(rect);
          });
        lines.forEach(([name, value, style, said, top, other], at) => {
          const base = at * 76 + (other ? 72 : 62);
          text(top, left - 6, base - 46, "end");
          text(name, left - 6, base - 21, "end");
          text("0", left - 6, base + 4, "end");
          svg.append(drawing("line", { x1: left, x2: right, y1: base, y2: base, stroke: "var(--line)" }));
          if (!other) {
            bars(base, value, style, 0, bar, said);
            return;
          }
          text("left: expected, right: reported; red: wrong", right, base - 54, "end");
          bars(base, value, style, -two / 2, two, said);
          bars(base, other, "var(--pull)", two / 2, two, said);
        });
        const tick = (t, x) =>
            text(when(t), x, tall - 6, x < left + 24 ? "start" : x > right - 24 ? "end" : "middle"),
          many = (right - left) / Math.max(70, 9 * when(high).length);
        if (ordered) {
          const step = round((high - low) / many);
          for (let t = Math.ceil(low / step) * step; t <= high; t += step)
            tick(t, left + 8 + ((t - low) / (high - low)) * (right - left - 8));
        } else {
          const step = Math.max(1, Math.ceil(windows.length / many));
          times.forEach((t, number) => {
            if (number % step === 0) tick(t, place(number));
          });
        }
        text(own.unit ? `up to, in ${own.unit}` : "up to", left - 6, tall - 6, "end");
        box.replaceChildren(svg);
      };
    let width = 0;
    new ResizeObserver(() => {
      if (box.clientWidth && box.clientWidth !== width) {
        width = box.clientWidth;
        draw();
      }
    }).observe(box);
    draw();
  }

  // A program step by step: what enters and what leaves is added up once, for each step.
  function stepped(moving) {
    const { items, steps, texts, windows, formulas } = moving,
      MOST = 60,
      kept = [];
    steps.forEach((one, place) => {
      const before = kept[place - 1] || { windows: windows.map(() => new Set()), holds: new Set() },
        changed = (old, entered, left) => {
          const now = new Set(old);
          left.forEach((each) => now.delete(each));
          entered.forEach((each) => now.add(each));
          return now;
        };
      kept.push({
        windows: one.windows.map(([, , entered, left], number) =>
          changed(before.windows[number], entered, left),
        ),
        holds: changed(before.holds, one.holds[0], one.holds[1]),
      });
    });
    window.larsStep = (place) => ({
      t: steps[place].t,
      windows: kept[place].windows.map((own) => [...own].map((each) => [items[each].t, items[each].text])),
      holds: [...kept[place].holds].map((each) => texts[each]),
    });
    const reads = windows.map(
      (_, number) => new Set(formulas.flatMap((one) => (one.window === number ? one.items : []))),
    );
    const slider = $("step"),
      box = $("step-picture"),
      many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    let now = 0,
      lit = null,
      held = null,
      playing = null,
      picture = null;

    // Timeline: lanes of atoms, then a lane for each window, then what holds.
    const times = items.map((item) => item.t).concat(steps.map((one) => one.t)),
      first = times.reduce((least, t) => Math.min(least, t), Infinity),
      last = Math.max(
        times.reduce((most, t) => Math.max(most, t), -Infinity),
        first + 1,
      ),
      used = [...new Set(items.map((item) => item.lane))].sort((one, other) => one - other),
      SHOWN = 12;
    const fit = (text, letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
    function paint() {
      const width = Math.max(box.clientWidth, 200),
        left = width < 600 ? 84 : 170,
        letters = width < 600 ? 9 : 22,
        lane = 26,
        own = windows.slice(0, SHOWN),
        rows = used.length + own.length + 1,
        height = 26 + rows * lane,
        x = (t) => left + 14 + ((t - first) / (last - first)) * (width - left - 28),
        svg = drawing("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      const label = (text, y) => {
        const found = drawing("text", { x: left - 6, y: y + 17, "text-anchor": "end", class: "lane-name" }),
          title = drawing("title");
        found.textContent = fit(text, letters);
        title.textContent = text;
        found.append(title);
        svg.append(found, drawing("line", { x1: left, x2: width, y1: y + lane, y2: y + lane, class: "lane-line" }));
      };
      const widest = Math.max(when(first).length, when(last).length) * 7 + 14,
        ticks = Math.max(1, Math.min(12, Math.floor((width - left) / widest), last - first));
      const gap = Math.max(1, Math.ceil((last - first) / ticks));
      for (let t = first; t <= last; t += gap) {
        const found = drawing("text", { x: x(t), y: 14, "text-anchor": "middle", class: "lane-name" });
        found.textContent = when(t);
        svg.append(found);
      }
      const cursor = drawing("rect", { y: 18, width: 3, height: height - 18, class: "cursor" });
      svg.append(cursor);
      const dots = [],
        heights = new Map();
      used.forEach((number, place) => label(moving.lanes[number], 22 + place * lane));
      items.forEach((item) => {
        const place = `${item.lane} ${item.t}`,
          above = heights.get(place) || 0,
          dot = drawing("circle", {
            cx: x(item.t),
            cy: 22 + used.indexOf(item.lane) * lane + lane - 6 - (above % 4) * 5,
            r: 3.5,
          }),
          title = drawing("title");
        heights.set(place, above + 1);
        title.textContent = `${when(item.t)}: ${item.text}`;
        dot.append(title);
        dots.push(dot);
        svg.append(dot);
      });
      const brackets = own.map((text, place) => {
        const y = 22 + (used.length + place) * lane,
          found = drawing("rect", { y: y + 6, height: lane - 11, rx: 3 });
        label(text, y);
        svg.append(found);
        return found;
      });
      const y = 22 + (used.length + own.length) * lane;
      label("derived", y);
      kept.forEach((one, place) => {
        if (one.holds.size)
          svg.append(drawing("rect", { x: x(steps[place].t) - 2.5, y: y + 9, width: 5, height: 10, class: "answer" }));
      });
      picture = { x, dots, brackets, cursor };
      box.replaceChildren(svg);
      mark();
    }
    // What is lit: a formula's window, and the atoms in it that fit; else what any window shows.
    function mark() {
      if (!picture) return;
      const one = steps[now],
        formula = lit === null ? null : formulas[lit],
        fits = formula && new Set(formula.items),
        seen = new Set();
      kept[now].windows.forEach((own, number) => {
        if (!formula || formula.window === number) own.forEach((each) => seen.add(each));
      });
      picture.cursor.setAttribute("x", picture.x(one.t) - 1.5);
      picture.dots.forEach((dot, number) => {
        const inside = seen.has(number);
        dot.setAttribute("class", !inside ? "dot-out" : fits && fits.has(number) ? "dot-lit" : "dot-in");
        dot.setAttribute("r", inside && fits && fits.has(number) ? 5.5 : 3.5);
      });
      picture.brackets.forEach((found, number) => {
        const ends = one.windows[number][0];
        found.setAttribute("class", formula && formula.window === number ? "bracket lit" : "bracket");
        found.setAttribute("visibility", ends ? "visible" : "hidden");
        if (!ends) return;
        const from = picture.x(Math.max(ends[0], first)) - 7,
          to = picture.x(Math.min(ends[1], last)) + 7;
        found.setAttribute("x", from);
        found.setAttribute("width", Math.max(to - from, 3));
      });
      for (const found of document.querySelectorAll("#steps .formula"))
        found.classList.toggle("lit", lit !== null && +found.dataset.formula === lit);
      document.querySelectorAll("#step-windows .window").forEach((found, number) => {
        found.classList.toggle("lit", Boolean(formula) && formula.window === number);
        for (const item of found.querySelectorAll("li[data-item]"))
          item.classList.toggle("lit", Boolean(fits) && formula.window === number && fits.has(+item.dataset.item));
      });
    }
    function list(entries, left) {
      const found = make("ul", null, { class: "step-items" });
      for (const [sign, text, item, unread] of entries.slice(0, MOST)) {
        const line = make("li", null, { class: { "+": "entered", "−": "gone", "": "stays" }[sign] });
        if (item !== undefined) line.dataset.item = item;
        if (unread) line.classList.add("unread");
        line.append(make("b", sign || "·", { "aria-hidden": "true" }), ` ${text}`);
        if (sign) line.append(make("span", sign === "+" ? " (enters)" : " (leaves)", { class: "spoken" }));
        found.append(line);
      }
      const more = left + Math.max(0, entries.length - MOST);
      if (more) found.append(make("li", `… and ${more} more`, { class: "hint" }));
      return found;
    }
    function windowsShown() {
      const one = steps[now];
      $("step-windows").replaceChildren(
        ...windows.map((text, number) => {
          const [ends, count, entered, left] = one.windows[number],
            own = kept[now].windows[number],
            fresh = new Set(now ? entered : []),
            at = (each) => `${when(items[each].t)}: ${items[each].text}`,
            entries = [...own]
              .map((each) => [fresh.has(each) ? "+" : "", at(each), each, !reads[number].has(each)])
              .concat(now ? left.map((each) => ["−", at(each), undefined, !reads[number].has(each)]) : [])
              .sort((one, other) => one[3] - other[3] || Boolean(other[0]) - Boolean(one[0])),
            found = make("div", null, { class: "window" }),
            title = make("p", null, { class: "caption" });
          title.append(
            make("code", text),
            ends ? ` contains [${when(ends[0])}, ${when(ends[1])}]: ${many(count, "atom")}` : " contains nothing",
          );
          found.append(title, list(entries, count - own.size));
          return found;
        }),
      );
    }
    function rulesFire() {
      const fires = new Map(steps[now].fires.map((one) => [one[0], one])),
        fails = new Map(steps[now].fails.map((one) => [one[0], one]));
      for (const line of document.querySelectorAll("#steps [data-rule]")) {
        const one = fires.get(+line.dataset.rule),
          where = line.querySelector(".instances");
        const failing = fails.get(+line.dataset.rule);
        line.classList.toggle("fires", Boolean(one));
        line.querySelectorAll("code > span").forEach((part, place) => part.classList.toggle("fails", Boolean(failing) && failing[1] === place));
        if (!one && failing) {
          const others = failing[3] ? ` (and ${failing[3]} more)` : "",
            [lacking, times, count] = failing.slice(4),
            more = times && count > times.length ? `, … (${count} times)` : "",
            missing = times ? `: ${texts[lacking]} does not hold at ${times.map(when).join(", ")}${more}` : "";
          where.replaceChildren(make("p", `does not fire: ${texts[failing[2]]} does not hold${missing}${others}`, { class: "idle" }));
        } else if (!one) where.replaceChildren();
        else {
          const [, count, more, shown] = one;
          where.replaceChildren(
            make("p", `fires ${more ? "at least " : ""}${count === 1 && !more ? "once" : `${count} times`}`),
            list(
              shown.map((each) => ["", texts[each]]),
              count - shown.length,
            ),
          );
        }
      }
    }
    function whatHolds() {
      const one = steps[now],
        [created, gone] = now ? one.signs || one.holds : [[], []],
        fresh = new Set(created),
        entries = [...kept[now].holds]
          .map((each) => [each, fresh.has(each) ? "+" : ""])
          .concat(gone.map((each) => [each, "−"])),
        of = (wanted) =>
          entries.filter(([each]) => moving.answers[each] === wanted).map(([each, sign]) => [sign, texts[each]]),
        shown = of(true),
        others = of(false),
        parts = [];
      if (one.silent) parts.push(make("p", "The query is not evaluated at this time."));
      else if (!one.streams) parts.push(make("p", `${one.why[0].toUpperCase()}${one.why.slice(1)}.`));
      else if (one.streams > 1 || one.more)
        parts.push(make("p", `Answer stream 1 of ${one.more ? "more than " : ""}${one.streams}:`));
      if (shown.length) parts.push(list(shown, 0));
      else if (one.streams && !one.silent)
        parts.push(make("p", others.length ? "No answer." : "Nothing is derived."));
      $("step-holds").replaceChildren(...parts);
      $("step-others").hidden = !others.length;
      $("step-others").firstElementChild.textContent = `Other derived atoms (${others.length})`;
      $("step-others").lastElementChild.replaceChildren(list(others, 0));
    }
    function summary() {
      const one = steps[now],
        count = (place) => new Set(one.windows.flatMap((own) => own[place])).size,
        entered = count(2),
        left = count(3),
        [created, gone] = one.signs || one.holds,
        since = now
          ? ` Since t = ${when(steps[now - 1].t)}: ${many(entered, "atom")} entered a window and ${left} left one; ` +
            `${many(created.length, "derived atom")} ${created.length === 1 ? "is" : "are"} new, ${gone.length} gone.`
          : "";
      const fires = many(one.fires.length, "rule");
      return `At t = ${when(one.t)}, ${fires} ${one.fires.length === 1 ? "fires" : "fire"}.${since}`;
    }
    function go(place) {
      now = Math.min(Math.max(place, 0), steps.length - 1);
      slider.value = now;
      const said = `t = ${when(steps[now].t)}`;
      slider.setAttribute("aria-valuetext", `${said}, step ${now + 1} of ${steps.length}`);
      $("step-time").textContent = said;
      $("step-back").disabled = !now;
      $("step-on").disabled = now === steps.length - 1;
      windowsShown();
      rulesFire();
      whatHolds();
      $("step-said").textContent = summary();
      mark();
    }
    function play(on) {
      clearInterval(playing);
      playing = on ? setInterval(() => (now < steps.length - 1 ? go(now + 1) : play(false)), 900) : null;
      $("step-play").textContent = on ? "Pause" : "Play";
      $("step-play").setAttribute("aria-pressed", String(on));
      // While it plays a screen reader is not told each step.
      $("step-said").setAttribute("aria-live", on ? "off" : "polite");
    }
    function toggle() {
      if (!playing && now === steps.length - 1) go(0);
      play(!playing);
    }
    const move = (place) => {
      play(false);
      go(place);
    };
    slider.addEventListener("input", () => move(+slider.value));
    $("step-back").addEventListener("click", () => move(now - 1));
    $("step-on").addEventListener("click", () => move(now + 1));
    $("step-play").addEventListener("click", toggle);
    // The keys count wherever the focus is in the steps, or nowhere; a focused button keeps its own key.
    document.addEventListener("keydown", (event) => {
      const where = event.target;
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
      if (where !== document.body && !where.closest("#steps")) return;
      const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
      if (event.key === " " && !where.closest("button, a, summary, [role=button]")) toggle();
      else if (by === undefined) return;
      else move(now + by);
      event.preventDefault();
    });
    box.addEventListener("click", (event) => {
      const t = first + ((event.clientX - box.getBoundingClientRect().left - (picture.x(first) || 0)) / (picture.x(last) - picture.x(first))) * (last - first);
      let best = 0;
      steps.forEach((one, place) => {
        if (Math.abs(one.t - t) < Math.abs(steps[best].t - t)) best = place;
      });
      move(best);
    });
    for (const found of document.querySelectorAll("#steps .formula")) {
      const number = +found.dataset.formula,
        light = (value) => {
          lit = value === null ? held : value;
          mark();
        },
        hold = () => {
          held = held === number ? null : number;
          for (const one of document.querySelectorAll("#steps .formula"))
            one.setAttribute("aria-pressed", String(+one.dataset.formula === held));
          light(held);
        };
      found.setAttribute("aria-pressed", "false");
      for (const name of ["mouseenter", "focus"]) found.addEventListener(name, () => light(number));
      for (const name of ["mouseleave", "blur"]) found.addEventListener(name, () => light(null));
      found.addEventListener("click", hold);
      found.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        hold();
        event.preventDefault();
      });
    }
    go(moving.start);
    new ResizeObserver(paint).observe(box);
    paint();
    return () => steps[now].t;
  }

  // Each edit in a playground makes a new page; the page around it keeps the time point and the place.
  function played(time) {
    const tell = () => window.parent.postMessage({ t: time(), y: window.scrollY, height: document.documentElement.scrollHeight }, "*");
    window.addEventListener("message", (event) => {
      if (event.source !== window.parent || typeof event.data !== "object") return;
      window.scrollTo(0, event.data.y);
      tell();
    });
    for (const name of ["scroll", "click", "keyup", "input", "resize"]) window.addEventListener(name, () => setTimeout(tell));
    tell();
  }
})();
