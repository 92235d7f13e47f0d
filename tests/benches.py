"""Two benchmarks in one form: a stream with a file for each second, queries, and what engines answered.

`GREENHOUSE` is made up: thirteen seconds of readings, of which six are warm (above 30), one a second
at most. Its answers are written down from the definition of each engine's windows, or with one fault,
as real engines have them. `CSRBENCH` is the benchmark of that name, where its pack is there.
"""

import json
from dataclasses import dataclass

import pytest

from tests.packs import DATA, PACKS, pack

ENGINES = ("csparql", "sparqlstream", "cqels")
QUERIES = (1, 2, 4, 5)
XSD = "http://www.w3.org/2001/XMLSchema#"
GREEN = "http://example.org/greenhouse#"
CLAUSES = {
    "csparql": "FROM STREAM <{iri}> [RANGE {size}s STEP {slide}s]\nWHERE {{\n  {pattern}\n  {condition}\n}}",
    "sparqlstream": (
        "FROM NAMED STREAM <{iri}> [NOW - {size} S SLIDE {slide} S]\nWHERE {{\n  {pattern}\n  {condition}\n}}"
    ),
    "cqels": "WHERE {{\n  STREAM <{iri}> [RANGE {size}s SLIDE {slide}s] {{ {pattern} }}\n  {condition}\n}}",
}
SELECTED = {"csparql": "SELECT", "sparqlstream": "SELECT RSTREAM", "cqels": "SELECT"}
WINDOWS = {1: (5, 5), 2: (1, 1), 4: (4, 4), 5: (3, 1)}
WARM = {2: "north 2a", 4: "north 4a", 5: "south 5a", 8: "east 8a", 9: "south 9a", 10: "north 10a"}
ARRIVING = {t: [row] for t, row in WARM.items()}


def warm(first, last):
    """Return the warm readings of the seconds from the first to the last."""
    return [WARM[t] for t in range(first, last + 1) if t in WARM]


ANSWERS = {
    ("csparql", 1): {5: warm(0, 4), 10: warm(5, 9)},
    ("csparql", 2): {t: warm(t - 1, t - 1) for t in range(1, 13)},
    ("csparql", 4): {4: [32], 8: [71 / 2], 12: [107 / 3]},
    # Two windows are reported before the first is whole, and from two the oldest reading has slipped out.
    ("csparql", 5): {t: warm(t - 3, t - 1) for t in range(1, 13)} | {5: warm(4, 4), 11: warm(9, 10)},
    ("sparqlstream", 1): {3: warm(0, 2), 8: warm(3, 7)},
    ("sparqlstream", 2): {t + 1: [row] for t, row in WARM.items()},
    # The last window's average is 107 / 3.
    ("sparqlstream", 4): {4: [32], 8: [71 / 2], 12: [35]},
    ("sparqlstream", 5): {t: warm(t - 3, t - 1) for t in range(3, 13)},
    ("cqels", 1): ARRIVING,
    ("cqels", 2): ARRIVING,
    # At each warm reading the average of [t - 4, t]; as readings expire nothing is reported.
    ("cqels", 4): {2: [32], 4: [35], 5: [103 / 3], 8: [37], 9: [109 / 3], 10: [107 / 3]},
    ("cqels", 5): ARRIVING,
}


@dataclass(frozen=True, slots=True)
class Greenhouse:
    """The benchmark of our own."""

    stream = DATA / "greenhouse"
    iri = "http://example.org/greenhouse"
    last = 12

    def query(self, engine: str, number: int) -> str:
        size, slide = WINDOWS[number]
        pattern = "?obs :of :warmth ; :by ?bed ; :gave ?res .\n  ?res :value ?value ."
        selected = "(AVG(?value) AS ?avg)" if number == 4 else "?bed ?obs"
        clause = CLAUSES[engine].format(
            iri=self.iri, size=size, slide=slide, pattern=pattern, condition="FILTER(?value > 30)"
        )
        return f"PREFIX : <{GREEN}>\n{SELECTED[engine]} {selected}\n{clause}"

    def answers(self, engine: str, number: int) -> str:
        """Return the answers in the benchmark's JSON; CQELS's come a little after their second."""
        late = 170 if engine == "cqels" else 0
        names = ["avg"] if number == 4 else ["bed", "obs"]
        relations = [
            {
                "head": {"vars": names},
                "timestamp": t * 1000 + late,
                "results": {"bindings": [_binding(t * 1000 + late, row) for row in rows]},
            }
            for t, rows in ANSWERS[engine, number].items()
            if rows or engine == "csparql"
        ]
        return json.dumps({"relations": relations})


def _binding(t, row):
    if isinstance(row, str):
        bed, seen = row.split()
        terms = {"bed": bed, "obs": f"seen{seen}"}
        binding = {name: {"type": "uri", "value": GREEN + term} for name, term in terms.items()}
    else:
        binding = {"avg": {"type": "literal", "datatype": f"{XSD}double", "value": f"{row}e0"}}
    return {"timestamp": t, "binding": binding}


@dataclass(frozen=True, slots=True)
class CsrBench:
    """CSRBench's stream of weather, four of its queries, and what three engines answered."""

    stream = PACKS["csrbench"].folder / "stream"
    iri = "http://ex.org/streams/observations"
    last = 33

    def query(self, engine: str, number: int) -> str:
        return (self.stream.parent / f"queries/q{number}.{engine}.rq").read_text("utf-8")

    def answers(self, engine: str, number: int) -> str:
        return (self.stream.parent / f"answers/{engine}-answer-{number}.json").read_text("utf-8")


GREENHOUSE, CSRBENCH = Greenhouse(), CsrBench()
BOTH = [
    pytest.param(GREENHOUSE, id="greenhouse"),
    pytest.param(CSRBENCH, id="csrbench", marks=pack("csrbench")),
]


def triple_files(bench):
    """Return the files of a benchmark's stream, by second."""
    return {int(path.stem[-2:]): path for path in sorted(bench.stream.glob("data_*.ttl"))}
