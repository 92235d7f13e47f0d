"""Real engines behind their adapters answer what has been recorded of them, where they are installed.

`LARS_ADAPTERS` names a folder with them, as samples/adapters/README.md says how to make one: nothing is
fetched here.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from agreement.documents.recordings import read_case
from agreement.engines.adapters.checking import checks_of
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import answers_of, open_message
from tests.agreement.engines.adapters.streams import push, rspql
from tests.packs import ROOT

INSTALLED = Path(os.environ.get("LARS_ADAPTERS", ROOT / "samples" / "adapters"))
COMMANDS = {
    "rsp-js-1.3.5": (
        "node",
        INSTALLED / "rsp-js" / "adapter.js",
        INSTALLED / "rsp-js" / "node_modules" / "rsp-js",
    ),
    "rsp-rs-0.3.5": ("", INSTALLED / "rsp-rs" / "target" / "release" / "rsp-rs-adapter", None),
}
RECORDINGS = ROOT / "tests" / "data" / "recordings"
SHARED = ROOT.parent / "shared" / "recordings-living"


def command(name):
    program, file, needed = COMMANDS[name]
    if not (needed or file).exists():
        pytest.skip(f"{name} is not installed in {INSTALLED}")
    return f"{program} {file}"


def bound(recording, row):
    return ((name, term) for name, term in zip(recording.variables, row, strict=True) if term)


def content(recording, windows):
    """Return the rows with their times, pushes and bounds; what is unbound is left out."""
    return Counter(
        (report.t, report.trigger, windows[n], frozenset(bound(recording, row)))
        for n, report in enumerate(recording.reports)
        for row in report.rows
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_a_right_adapter(name):
    assert [one for one in checks_of(command(name), 30) if one.problem is not None] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_it_answers_what_has_been_recorded(name):
    files = sorted((*(RECORDINGS / name).glob("*.json"), *(SHARED / name).glob("*.json")))
    with RunningAdapter(command(name)) as engine:
        if not files:
            pytest.skip(f"no recordings of {name} are here")
        for case in map(read_case, files):
            static = tuple(f"{' '.join(triple)} ." for triple in case.static.default)
            found = answers_of(engine, open_message(case.query, static), case.pushes).recording()
            given = found.windows or (None,) * len(found.reports)
            assert content(found, given) == content(case.recording, case.windows), case.id


@pytest.mark.parametrize("name", COMMANDS)
def test_a_late_triple_is_taken(name):
    pushes = [push(1, "a"), push(6, "b"), push(2, "c"), push(7, "d")]
    with RunningAdapter(command(name)) as engine:
        assert answers_of(engine, open_message(rspql(4, 4)), pushes).rejected == {}


def test_a_query_that_never_ends_does_not_keep_the_adapter():
    """Comunica ends about half of the empty answers to this query, and RSP-JS goes on: the adapter waited."""
    query = """PREFIX : <http://e/>
REGISTER RStream <http://e/out> AS
SELECT ?s ?a ?b
FROM NAMED WINDOW :v ON STREAM :S [RANGE 4 STEP 2]
FROM NAMED WINDOW :w ON STREAM :T [RANGE 4 STEP 2]
WHERE {
WINDOW :v { ?s :p ?a . }
WINDOW :w { ?s :r ?b . }
} ORDER BY ?b ?a ?s
"""
    with RunningAdapter(command("rsp-js-1.3.5"), silence=5) as engine:
        found = answers_of(engine, open_message(query), [push(t, "a") for t in range(1, 40, 2)])
    assert (len(found.replies), found.reports) == (20, ())
