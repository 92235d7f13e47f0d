"""Small queries in each language, traces in milliseconds, and comparisons of profiles on them."""

from tests.agreement.command import lars

IN_MS = ("--unit", "1ms")
QUERIES = {
    "cs.rq": "PREFIX : <http://e/> SELECT ?s FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :p ?o }",
    "cq.rq": "PREFIX : <http://e/> SELECT ?s WHERE { STREAM :S [RANGE 3s] { ?s :p ?o } }",
    "st.rq": "PREFIX : <http://e/> SELECT ?s FROM NAMED STREAM :S [NOW - 3 S TO NOW - 0 S SLIDE 1 S] "
    "WHERE { ?s :p ?o }",
    "rq.rq": "PREFIX : <http://e/> SELECT ?s FROM NAMED WINDOW :w ON :S [RANGE PT3S STEP PT1S] "
    "WHERE { WINDOW :w { ?s :p ?o } }",
    "ko.rq": "PREFIX : <http://e/>\nREGISTER RSTREAM <http://e/out> AS\nSELECT ?s\n"
    "FROM NAMED WINDOW :w ON <http://e/S> [RANGE 3000 STEP 1000]\nWHERE {\nWINDOW :w { ?s :p ?o . } }",
    "r4.rq": "PREFIX : <http://e/>\nREGISTER RSTREAM <http://e/out> AS\nSELECT ?s\n"
    "FROM NAMED WINDOW :w ON <http://e/S> [RANGE PT3S STEP PT1S]\nWHERE { WINDOW :w { ?s :p ?o . } }",
    "js.rq": "PREFIX : <http://e/> REGISTER RStream <out> AS SELECT ?s\n"
    "FROM NAMED WINDOW :w ON STREAM :S [RANGE 3000 STEP 1000]\nWHERE {\nWINDOW :w { ?s :p ?o } }",
}
LANGUAGES = {
    "csparql": "cs.rq",
    "cqels": "cq.rq",
    "sparqlstream": "st.rq",
    "rspql": "rq.rq",
    "csparql-0.9.7": "cs.rq",
    "cqels-1.x": "cq.rq",
    "cqels-2011": "cq.rq",
    "yasper-csparql": "rq.rq",
    "yasper-cqels": "rq.rq",
    "rsp-js-1.3.5": "js.rq",
    "rsp-rs-0.3.5": "js.rq",
    "kolibrie-846becb": "ko.rq",
    "csparql-0.9.7-jena-2.13.0": "cs.rq",
    "yasper-rsp4j-1.0.1": "r4.rq",
    "csparql2-rsp4j-c46e0f67": "r4.rq",
}
"""A query that each profile can run."""


def write(folder, trace="a 1500, b 2000, c 5500", **queries):
    """Write the queries, those given by name too, and the trace: `a 1500` is a p o at that time."""
    named = QUERIES | {f"{name}.rq": f"PREFIX : <http://e/> {text}" for name, text in queries.items()}
    for name, text in named.items():
        (folder / name).write_text(text)
    (folder / "t.nq").write_text("".join(_line(*part.split()) for part in trace.split(",")))
    return folder


def _line(subject, t, predicate="p", value="o", stream="S"):
    terms = " ".join(f"<http://e/{name}>" for name in (subject, predicate, value, stream))
    return f'{terms} "{t}" .\n'


def compare(folder, first, second, *queries, options=IN_MS):
    """Return how `lars compare --json` ends on the queries and the trace of a folder."""
    paths = [folder / f"{name}.rq" for name in queries]
    return lars("compare", first, second, *paths, folder / "t.nq", *options, "--json")


def told(found):
    """Return of each difference its push, rows that only one side reports, times that moved, and causes."""
    return [
        (
            one.get("push", one.get("time_unit")),
            names(one["only_first"]),
            names(one["only_second"]),
            [tuple(times) for times in one["moved_ms"]],
            [cause["name"] for cause in one["parted_by"]],
        )
        for one in found.json["differences"]
    ]


def names(rows):
    """Return the last letters of the terms of each row, joined."""
    return ["".join(row[name]["value"][-1] for name in sorted(row)) for row in rows]
