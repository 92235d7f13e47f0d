"""Commands with inputs of every kind, and how they are damaged."""

import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from tests.packs import DATA, SAMPLES


@dataclass(frozen=True, slots=True)
class Command:
    """Arguments, the files that they name, and which of these are damaged; the options too, or alone."""

    arguments: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()


_LINES = "".join(
    f'<x:{s}> <x:{p}> {o} <x:s> "{t}" .\n'
    for t, s, p, o in (
        (1, "a", "p", "<x:b>"),
        (1, "b", "p", '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (3, "a", "q", '"hot"@en'),
        (4, "c", "p", "_:n"),
        (7, "a", "p", '"2.5e0"^^<http://www.w3.org/2001/XMLSchema#double>'),
    )
)
_CQELS = "SELECT ?x ?y WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } }"
_RICH = """PREFIX : <x:>
SELECT ?x (COUNT(?y) AS ?n) (GROUP_CONCAT(STR(?y); separator=", ") AS ?all)
WHERE {
  STREAM :s [RANGE 5s SLIDE 2s] { ?x :p ?y . OPTIONAL { ?x :q ?z FILTER(?z != ?y) } }
  STREAM :s [ROWS 3] { ?x (:p|:q)+ ?w }
  BIND(REPLACE(STR(?y), "a+", "b$0") AS ?r) FILTER(!BOUND(?z) || REGEX(?r, "^[a-z]", "i") || ?y * 2 > 1.5)
  { ?x :p ?u } UNION { ?u :q ?x } MINUS { ?x :r [] } VALUES ?k { 1 "two" <x:three> UNDEF }
} GROUP BY ?x HAVING(COUNT(?y) > 0) ORDER BY DESC(?n) LIMIT 10"""
_CROWD = {path.name: path.read_bytes() for path in sorted((SAMPLES / "crowd").glob("query.*.rq"))}
_BY_ENGINE = {
    "csparql-0.9.7": _CROWD["query.csparql.rq"],
    "rspql": _CROWD["query.rspql.rq"],
    "sparqlstream": _CROWD["query.sparqlstream.rq"],
    "cqels": _RICH.encode(),
    "cqels-1.x": _CQELS.encode(),
}
_TURTLE = b'@prefix : <x:> .\n:a :p :b ; :q "lit"@en, 5, 2.5e0 .\n:c :p [ :q ( 1 2 ) ] .\n'
_XML = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="x:">'
    b'<rdf:Description rdf:about="x:a"><x:p rdf:resource="x:b"/></rdf:Description></rdf:RDF>'
)
_ANSWERS = {
    "answers.csv": "t,x,y\n1,x:a,x:b\n3,x:a,x:b\n",
    "answers.tsv": "?t\t?x\t?y\n1\t<x:a>\t<x:b>\n3\t<x:a>\t<x:b>\n",
    "answers.ndjson": '{"t": 1, "rows": [{"x": {"type": "uri", "value": "x:a"}}]}\n{"t": 3, "rows": []}\n',
    "answers.json": json.dumps(
        {
            "head": {"vars": ["t", "x"]},
            "results": {
                "bindings": [{"t": {"type": "literal", "value": "1"}, "x": {"type": "uri", "value": "x:a"}}]
            },
        }
    ),
}
_GRID = """title = "grid"
unit = "1s"
[[queries]]
name = "q"
cqels = "q.rq"
[[traces]]
name = "t"
streams = { "x:s" = "t.nq" }
[[comparisons]]
period = "{u}"
[grid]
u = [2, 3]
"""


@cache
def commands() -> dict[str, Command]:
    """Return a sound command for each kind of input."""
    return dict((*_of_queries(), *_of_inputs(), *_of_experiments(), *_of_answers(), *_of_options()))


def _of_queries() -> Iterable[tuple[str, Command]]:
    texts = {name.split(".")[1]: text for name, text in _CROWD.items()}
    texts |= {"rich": _RICH.encode(), "coupons": (SAMPLES / "coupons" / "query.csparql.rq").read_bytes()}
    for name, text in texts.items():
        files = {"q.rq": text, "t.nq": _LINES.encode()}
        for mode in ("push", "pull"):
            asked = ("translate", "q.rq", "--mode", mode, "--period", "2", "--format", "asp")
            yield f"query {name} {mode}", Command(asked, files, ("q.rq",))
        solved = ("solve", "q.rq", "t.nq", "--mode", "push", "--in-process")
        yield f"query {name} solved", Command(solved, files, ("q.rq",))
        as_model = ("translate", "q.rq", "--format", "json")
        yield f"query {name} as model", Command(as_model, files, ("q.rq",))
    rewritten = ("translate", "q.rq", "--to", "rspql")
    yield "query rewritten", Command(rewritten, {"q.rq": _RICH.encode()}, ("q.rq",))
    strict = ("translate", "q.rq", "--strict", "cqels-1.x")
    yield "query strict", Command(strict, {"q.rq": _CQELS.encode()}, ("q.rq",))
    for engine, text in _BY_ENGINE.items():
        files = {"q.rq": text, "t.nq": _LINES.encode()}
        yield f"query as {engine}", Command(("solve", "q.rq", "t.nq", "--as", engine), files, ("q.rq",))


def _of_inputs() -> Iterable[tuple[str, Command]]:
    table = io.BytesIO()
    columns = {"t": [1, 1, 3], "s": ["x:a", "x:b", "x:a"], "p": ["x:p"] * 3, "o": ['"1"', "x:c", "x:d"]}
    pq.write_table(pa.table(columns | {"stream": ["x:s"] * 3}), table)
    traces = {
        "t.nq": _LINES.encode(),
        "t.trig": (SAMPLES / "slide" / "door.trig").read_bytes(),
        "t.csv": b't,stream,s,p,o\n1,x:s,x:a,x:p,"""v"""\n3,x:s,x:b,x:p,x:c\n',
        "t.parquet": table.getvalue(),
        "data_03.ttl": (DATA / "greenhouse" / "data_03.ttl").read_bytes(),
    }
    for name, content in traces.items():
        query = _CQELS.replace("<x:p>", "?p").encode()
        asked = ("solve", "q.rq", name, "--in-process", "--sort")
        yield f"trace {name}", Command(asked, {"q.rq": query, name: content}, (name,))
    skipping = ("solve", "q.rq", "t.nq", "--in-process", "--on-error", "skip", "--rejected", "bad.txt")
    files = {"q.rq": _CQELS.encode(), "t.nq": _LINES.encode()}
    yield "trace skipped", Command(skipping, files, ("t.nq",))
    lines = {"a.ttl": _TURTLE, "a.nt": b"<x:a> <x:p> <x:b> .\n", "a.rdf": _XML}
    for name, content in (lines | {"a.jsonld": b'{"@id": "x:a", "x:p": [{"@id": "x:b"}, 5]}'}).items():
        asked = ("solve", "q.rq", "t.nq", "--static", name, "--in-process")
        static = files | {"q.rq": b"SELECT * WHERE { STREAM <x:s> [RANGE 5s] { ?x <x:p> ?y } ?y ?p ?o }"}
        yield f"static {name}", Command(asked, static | {name: content}, (name,))
    yield from _of_programs()


def _of_programs() -> Iterable[tuple[str, Command]]:
    door = {name: (SAMPLES / "door" / name).read_bytes() for name in ("door.lars", "door.atoms")}
    rich = (
        "@prefix x: <x:> .\nn(?s, ?n) ← ?n := SUM(DISTINCT ?o) of in(?s, ?o) by ?s. % sum\n"
        "in(?s, ?o) ← ⊞^{5 low-open} ◇ striple(?s, x:p, ?o, ?g), [STRLEN(STR(?o)) >= 1].\n"
        "top(?s) ← n(?s, ?n) among 1..2 by desc ?n, ?m := [CONCAT(STR(?n), 'a', \"b\"@en)].\n"
        "@_T2 next(?s) ← ⊞^{#3 by 1 all} @_T in(?s, ?o), T2 = T * 2 - 1 mod 7, not ⊞^∞ □ top(?s).\n"
    )
    for name, text, trace in (("door", door["door.lars"], "door.atoms"), ("rich", rich.encode(), "t.nq")):
        files = {"p.lars": text, "door.atoms": door["door.atoms"], "t.nq": _LINES.encode()}
        atom = "greet(ann)" if name == "door" else "top(x:a)"
        for asked in (
            ("solve", "p.lars", trace, "--in-process"),
            ("solve", "p.lars", trace, "--in-process", "--brave"),
            ("fmt", "p.lars", "--check"),
            ("translate", "p.lars", "--format", "asp"),
            ("explain", "p.lars", trace, atom, "--at", "3"),
        ):
            yield f"program {name} {' '.join(asked[::3])}", Command(asked, files, ("p.lars",))
        checked = ("check", "p.lars", trace, "--answer", "a.atoms", "--at", "3")
        yield f"answer stream {name}", Command(checked, files | {"a.atoms": b"3: top(x).\n"}, ("a.atoms",))
    plain = b"inside(X) :- [+]^10 <> enter(X, D), not [+]^10 <> leave(X).\n"
    ticker = ("translate", "p.lars", "--format", "ticker")
    yield "program ticker", Command(ticker, {"p.lars": plain}, ("p.lars",))
    yield "trace of atoms", Command(("solve", "p.lars", "door.atoms", "--in-process"), files, ("door.atoms",))


def _of_experiments() -> Iterable[tuple[str, Command]]:
    for name in ("slide", "coupons", "minus"):
        files = {f"e/{path.name}": path.read_bytes() for path in (SAMPLES / name).iterdir()}
        for asked in (("agree", "e", "--in-process"), ("run", "e"), ("agree", "e", "--in-process", "--json")):
            yield f"experiment {name} {asked[0]}", Command(asked, files, ("e/experiment.toml",))
        queries = tuple(path for path in files if path.endswith((".rq", ".trig", ".ttl")))
        yield f"experiment {name} files", Command(("agree", "e", "--in-process"), files, queries)
    grid = {"e.toml": _GRID.encode(), "q.rq": _CQELS.encode(), "t.nq": _LINES.encode()}
    yield "experiment grid", Command(("run", "e.toml", "--out", "results"), grid, ("e.toml",))


def _of_answers() -> Iterable[tuple[str, Command]]:
    for folder in sorted((DATA / "recordings").iterdir()):
        smallest = min(folder.glob("*.json"), key=lambda path: path.stat().st_size)
        files = {"case.json": smallest.read_bytes()}
        yield f"case {folder.name}", Command(("judge", "case.json"), files, ("case.json",))
        compared = ("compare", folder.name, folder.name, "case.json")
        yield f"case compared {folder.name}", Command(compared, files, ("case.json",))
    for name, text in _ANSWERS.items():
        files = {"q.rq": _CQELS.encode(), "t.nq": _LINES.encode(), name: text.encode()}
        asked = ("judge", "q.rq", "t.nq", "--answers", name, "--time-variable", "t")
        yield f"answers {name}", Command(asked, files, (name,))
    own = b'name = "mine"\nreport = ["window-close"]\nbounds = ["low-open"]\ntick = "triple"\n'
    files = {"q.rq": _CQELS.encode(), "t.nq": _LINES.encode(), "mine.toml": own}
    asked = ("solve", "q.rq", "t.nq", "--as", "mine.toml")
    yield "specification", Command(asked, files, ("mine.toml",))


def _of_options() -> Iterable[tuple[str, Command]]:
    files = {"q.rq": _CQELS.encode(), "t.nq": _LINES.encode(), "a.ttl": _TURTLE}
    files |= {"answers.csv": _ANSWERS["answers.csv"].encode()}
    for text in (
        "solve q.rq t.nq --in-process --static a.ttl --unit 1s --from 1 --to 9 --semantics bag",
        "solve q.rq --stream x:s=t.nq --in-process --trace-unit 1s --bounds closed --trigger any --memory 1G",
        "agree q.rq t.nq --in-process --period 2..3 --to 9 --profile sparql11 --side push --unit 1s",
        "translate q.rq --mode pull --period 3 --unit 1s --format json --bounds low-open",
        "judge q.rq t.nq --answers answers.csv --time-variable t --t0 0..1 --late 300 --gracious",
        "explain q.rq t.nq --at 3 ans(x:a,x:b) --mode push",
        "compare csparql rspql q.rq t.nq --t0 2 --bounds closed --tolerance 0.1",
        "generate out.nq --stations 2 --interval 1s --duration 5s --values 1..9 --walk 0.5 --bursts 2x100ms",
        "generate out.csv --duplicates 0.1 --out-of-order 0.1 --delay 2s --streams 1 --arrivals poisson",
    ):
        yield f"options {text.split()[0]}", Command(tuple(text.split()), files, ("",))


_NASTY = (
    *("", " ", "\n", "\0", "\ufeff", "\u2028", "\\", '"', "'"),
    *("<", ">", "{", "}", "(", ")", "[", "]", ".", ",", "=", "%"),
    *("-1", "0", "1e999", "NaN", "INF", "4294967296", "9223372036854775808", "1" * 400, "0x10", "٣"),
    *("null", "true", "[]", "{}", '"x"', "_:b", "<x:y>", "'''", '"""', "#", "\\u0000", "\\uD800", "é"),
    *("SELECT", "STREAM", "RANGE", "OPTIONAL", "FILTER", "not", "among", "by", "@_T", "⊞^", "◇"),
    *("{" * 300, "(" * 300, "[" * 300, "-" * 300, "a" * 3000),
)  # fmt: skip


def mutated(random: Random, command: Command) -> Command:
    """Return the command with one of its inputs, or of its options, damaged a few times."""
    name = random.choice(command.damaged)
    times = random.choice((1, 1, 1, 2, 3, 8))
    if not name:
        arguments = list(command.arguments)
        for _ in range(times):
            _damage_options(random, arguments)
        if "--in-process" in command.arguments:
            arguments.insert(1, "--in-process")  # Spark takes too long for so many runs
        return replace(command, arguments=tuple(arguments))
    content = command.files[name]
    damage = random.choice((_damaged, _reworded, _reworded))
    for _ in range(times):
        content = damage(random, content)
    return replace(command, files=command.files | {name: content})


def _damaged(random: Random, content: bytes) -> bytes:
    """Return the content with a part left out, twice, moved, or something else in its place."""
    start = random.randrange(len(content) + 1)
    end = min(len(content), start + random.choice((0, 1, 1, 2, 4, 8, 30, 200)))
    before, part, after = content[:start], content[start:end], content[end:]
    other = random.randrange(len(content) + 1)
    match random.randrange(8):
        case 0:
            return before + after
        case 1:
            return before + part * random.choice((2, 3, 100)) + after
        case 2:
            return before + random.randbytes(random.choice((1, 2, 9))) + after
        case 3:
            return before
        case 4:
            return before + content[other : other + end - start] + after
        case 5:
            words = content.split()
            return before + (random.choice(words) if words else b"") + after
        case _:
            return before + random.choice(_NASTY).encode(errors="surrogatepass") + after


_WORD = re.compile(rb"[0-9]+(?:\.[0-9]+)?|[A-Za-z_]\w*|<[^<>\s]*>|\?\w+|\S")
_NUMBERS = (b"0", b"1", b"2", b"-1", b"7", b"100", b"2147483648", b"1.5", b"1e3", b"9" * 19)


def _reworded(random: Random, content: bytes) -> bytes:
    """Return the content with a word left out, twice, or another one in its place: often still readable."""
    words = list(_WORD.finditer(content))
    if not words:
        return content
    chosen, other = random.choice(words), random.choice(words)
    alike = [one for one in words if _class(one[0]) == _class(chosen[0])]
    match random.randrange(6):
        case 0:
            new = b""
        case 1:
            new = chosen[0] + b" " + other[0]
        case 2:
            new = other[0]
        case _ if chosen[0][:1].isdigit():
            new = random.choice(_NUMBERS)
        case _:
            new = random.choice(alike)[0]
    return content[: chosen.start()] + new + content[chosen.end() :]


def _class(word: bytes) -> bytes:
    return b"a" if word[:1].isalpha() else b"0" if word[:1].isdigit() else word[:1]


def _damage_options(random: Random, arguments: list[str]) -> None:
    """Damage an argument after the command; no path leads out of the folder."""
    place = random.randrange(1, len(arguments))
    given = arguments[place]
    match random.randrange(5):
        case 0:
            arguments[place : place + 1] = []
        case 1:
            arguments.insert(place, random.choice(arguments))
        case 2:
            arguments[place] = random.choice(_NASTY)
        case _:
            text = _damaged(random, given.encode()).decode(errors="replace")
            arguments[place] = text
    if "--verbose" in arguments or any(
        text.startswith(("/", "~")) or (".." in text and "/" in text) for text in arguments
    ):
        arguments[place : place + 1] = [given]
