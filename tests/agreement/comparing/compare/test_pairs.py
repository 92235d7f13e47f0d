"""Every pair of profiles on one trace, from both sides, each with a query that it can run."""

import csv
from itertools import combinations_with_replacement

import pytest

from agreement.engines.registry import ENGINES
from agreement.engines.specifications import NAMES
from tests.agreement.command import lars
from tests.agreement.comparing.compare.profiles import LANGUAGES, compare, write
from tests.sizes import few

TRACE = "a 1500, b 2000, b 2000, c 5500, d 6000, a 6500, e 11200"


def test_every_profile_is_compared():
    assert LANGUAGES.keys() == {*NAMES, *ENGINES}


@pytest.mark.parametrize(("one", "other"), few(combinations_with_replacement(LANGUAGES, 2), 40))
def test_a_pair_differs_alike_from_both_sides(tmp_path, one, other):
    folder = write(tmp_path, TRACE)
    queries = [LANGUAGES[name].removesuffix(".rq") for name in (one, other)]
    found = compare(folder, one, other, *queries)
    back = compare(folder, other, one, *reversed(queries))
    assert found.code == back.code == int(not found.json["same"])
    notes = sorted(found.err.splitlines())
    # Only some queries have windows whose lengths have no unit.
    assert notes == sorted(back.err.splitlines())
    assert all(" without a unit count units of 1ms" in note or "Kolibrie counts" in note for note in notes)
    assert [_sides(part) for part in found.json["differences"]] == [
        _sides(part)[::-1] for part in back.json["differences"]
    ]
    assert found.code == 1 or found.json["compared"]
    assert one != other or found.json["same"]


def test_an_engine_is_compared_as_the_build_that_differs_least(tmp_path):
    total = "SELECT (SUM(?o) AS ?n) FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :p ?o FILTER(?o > 5) }"
    folder = write(tmp_path, TRACE, total=total)
    usual, pom = "csparql-0.9.7", "csparql-0.9.7-jena-2.13.0"
    found = compare(folder, "csparql", usual, "total").json
    assert (found["first"], found["second"]) == ("csparql", f"{usual}, with Jena 2.13.0")
    named = compare(folder, "csparql", pom, "total").json
    assert list(map(_sides, found["differences"])) == list(map(_sides, named["differences"]))
    # Its sums of nothing are not those of the build with a name of its own.
    assert not compare(folder, usual, pom, "total").json["same"]


@pytest.mark.parametrize("zero", [None, "2026-05-04T08:00:00Z"])
def test_the_table_of_differences_has_times_and_the_rows_of_each_engine(tmp_path, zero):
    trace, query = tmp_path / "t.csv", write(tmp_path) / "cs.rq"
    shown = [f"2026-05-04T08:00:0{t}Z" if zero else str(t) for t in (1, 2, 6, 9)]
    rows = "".join(f"{t},http://e/S,http://e/{n},http://e/p,{n}\n" for n, t in enumerate(shown))
    trace.write_text(f"t,stream,s,p,o\n{rows}")
    ran = lars(
        "compare", "csparql", "cqels", query, trace, "--out", tmp_path / "o", "--out-format", "csv", "--json"
    )
    table = list(csv.DictReader((tmp_path / "o/differences.csv").open()))
    assert [(len(one["only_first"]), len(one["only_second"])) for one in ran.json["differences"]] == [
        (int(row["only_first"]), int(row["only_second"])) for row in table
    ]
    assert table
    for row in table:
        assert row["time"] == (f"2026-05-04T08:00:0{row['place']}Z" if zero else row["place"])


KOLIBRIE = (
    "REGISTER RSTREAM <http://e/out> AS SELECT ?s FROM NAMED WINDOW :w ON :S [RANGE 4 STEP 2] "
    "WHERE { WINDOW :w { ?s <http://e/p> ?o . } }"
)


@pytest.mark.parametrize("declared", ["", "PREFIX : <http://e/> "])
def test_names_and_numbers_of_kolibrie_have_one_reading_and_a_note(tmp_path, declared):
    query, trace = tmp_path / "k.rq", tmp_path / "t.csv"
    query.write_text(declared + KOLIBRIE)
    trace.write_text("t,s,p,o\n" + "".join(f"{t},http://e/{t},http://e/p,1\n" for t in (1, 3, 6, 9)))
    ran = lars("compare", "rspql", "kolibrie-846becb", query, trace, "--json")
    assert "lengths of windows without a unit count units of 1ms: 4 is 4ms, 2 is 2ms" in ran.err
    assert f"{query}: 4s is 4ms here, because an engine of Kolibrie counts like its timestamps" in ran.err
    named = "warning: :S is read as the name of a stream, not as an IRI with the prefix :" in ran.err
    assert (ran.code, named) == (1, bool(declared))
    # Windows of 4 ms close at multiples of 2 ms.
    assert ran.json["differences"][0]["first"][0]["ms"] == 2
    found = lars("judge", query, trace, "--engine", "rspql", "--answers", trace).err
    assert "undeclared prefix" not in found
    assert "lengths of windows without a unit count units of 1s: 4 is 4s" in lars("translate", query).err


def _sides(part):
    return [
        [part[reports], sorted(map(str, part[rows]))]
        for reports, rows in (("first", "only_first"), ("second", "only_second"))
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_version_and_its_specification_are_told_apart_by_rules(tmp_path, engine):
    folder = write(tmp_path, TRACE)
    query = LANGUAGES[engine].removesuffix(".rq")
    found = compare(folder, ENGINES[engine].specification, engine, query).json
    assert all(one["parted_by"] and one["undone"] for one in found["differences"])
    assert bool(found["needed_rules"]) is not found["same"]
