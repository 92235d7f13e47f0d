// RSP-JS 1.3.5 as an adapter of lars: npm install, then lars record QUERY TRACE --adapter 'node adapter.js'.
//
// Its answers are asynchronous, and each moves t0 of its window when it comes: what is pushed meanwhile
// falls into other windows. So a push is answered once all queries that it has started have ended, or can
// do no more: Comunica sometimes never ends an empty join of graphs with ORDER BY of several variables.
// It logs each element on standard output and in a file: neither is an answer.
"use strict";
const readline = require("node:readline");
for (const level of ["log", "debug", "info", "warn", "error"]) console[level] = () => {};
const { RSPEngine } = require("rsp-js");
require("rsp-js/dist/util/Logger").Logger.prototype.log = () => {};
const N3 = require("n3");

const XSD_STRING = "http://www.w3.org/2001/XMLSchema#string";
const ESCAPES = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r" };
const WORK = new Set(["Immediate", "Timeout", "FSReqCallback", "FSReqPromise"]);
const PROFILE = { ok: true, engine: "rsp-js-1.3.5", time_unit: "1ms", dialect: "rspql", reads_ahead: true };

/** What is registered: the engine, the queries that have not ended, and what they have reported. */
let run = null;

function open(message) {
  run = null;
  const engine = new RSPEngine(message.query);
  if (engine.windows.length === 0) throw new Error("no FROM NAMED WINDOW <name> ON STREAM <stream> [RANGE n STEP n] on a line of its own");
  const odd = engine.windows.find((window) => !(window.width > 0 && window.slide > 0));
  if (odd) throw new Error(`the window ${odd.name} has the length ${odd.width} and the step ${odd.slide}: numbers alone are read`);
  new (require("sparqljs").Parser)().parse(engine.r2r.query);
  for (const line of message.static ?? []) for (const quad of new N3.Parser().parse(line)) engine.addStaticData(quad);
  const opened = { engine, pending: 0, reports: [], errors: [], t: 0 };
  const settle = () => { opened.pending--; };
  const execute = engine.r2r.execute.bind(engine.r2r);
  engine.r2r.execute = async (content) => {
    opened.pending++;
    try {
      const bindings = await execute(content);
      bindings.on("end", () => setImmediate(settle));
      bindings.on("error", (error) => { opened.errors.push(String(error.message ?? error)); settle(); });
      return bindings;
    } catch (error) {
      opened.errors.push(String(error.message ?? error));
      settle();
      return { on: () => {} };
    }
  };
  engine.register().on("RStream", (found) => {
    const row = Object.fromEntries([...found.bindings].map(([name, term]) => [name.value, written(term)]));
    opened.reports.push({ t: opened.t, rows: [row], window_from: found.timestamp_from, window_to: found.timestamp_to });
  });
  run = opened;
  return PROFILE;
}

async function push(message) {
  const stream = run.engine.getStream(message.stream);
  if (!stream) return { reports: [] };
  run.t = message.t;
  // A quad of its own: the engine changes it.
  const [quad] = new N3.Parser().parse(message.triple);
  stream.add(quad, message.t);
  return taken(await atRest());
}

/** Wait until no query runs, or nothing is left that could go on with one: one may be about to start in a microtask. */
async function atRest() {
  do await new Promise(setImmediate);
  while (run.pending > 0 && process.getActiveResourcesInfo().some((kind) => WORK.has(kind)));
  return run;
}

function taken(opened) {
  const { reports, errors } = opened;
  opened.reports = [];
  opened.errors = [];
  return errors.length ? { reports, errors } : { reports };
}

/** Return a term in N-Triples. */
function written(term) {
  if (term.termType === "NamedNode") return `<${term.value}>`;
  if (term.termType === "BlankNode") return `_:${term.value}`;
  const text = `"${term.value.replace(/[\\"\n\r]/g, (one) => ESCAPES[one])}"`;
  if (term.language) return `${text}@${term.language}`;
  return term.datatype.value === XSD_STRING ? text : `${text}^^<${term.datatype.value}>`;
}

async function answer(line) {
  try {
    const message = JSON.parse(line);
    if (message.op === "open") return open(message);
    if (run === null) return { error: "no query is open" };
    if (message.op === "push") return await push(message);
    const reply = taken(await atRest());
    if (message.op === "close") run = null;
    return reply;
  } catch (error) {
    // Behind these lines, the parser of Comunica lists everything that it would read there.
    return { error: String(error.message ?? error).split("\n").slice(0, 2).join(" ") };
  }
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (line.trim()) process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
  }
})();
