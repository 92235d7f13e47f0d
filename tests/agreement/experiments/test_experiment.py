"""Experiment files: what is read, and what each wrong one is told."""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agreement.documents.generate import Plan
from agreement.documents.requests import load_query
from agreement.documents.values import points_of, read_periods
from agreement.experiments.experiment import read_experiment
from agreement.experiments.grid import cells_of, comparison_of
from agreement.experiments.schema import COMMAND_OPTIONS, ExperimentFile, keys_of, schema
from lars.durations import SECOND, Duration
from lars.errors import LarsError, PlacedError
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver.settings import StaticFile
from tests.agreement.command import lars
from tests.packs import DOWNLOADED, SAMPLES
from translate.model.query import Language

S, P, Q = "http://example.org/s", "http://example.org/p", "http://example.org/q"
MINUTE = Duration(60 * 10**9)


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "experiment"
    (found / "frames").mkdir(parents=True)
    for name in ("s.trig", "a.ttl", "b.ttl"):
        (found / name).touch()
    (found / "q.rq").write_text(f"SELECT ?x FROM STREAM <{S}> [RANGE 5m STEP 5m] WHERE {{ ?x <{P}> ?y }}")
    (found / "c.rq").write_text(f"SELECT ?x WHERE {{ STREAM <{S}> [RANGE 5m] {{ ?x <{P}> ?y }} }}")
    (tmp_path / "outside.ttl").touch()
    return found


def write(folder: Path, text: str | bytes) -> Path:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / "experiment.toml").write_bytes(data)
    return folder


def full(*lines: str, **changed: str) -> str:
    """A whole experiment with some values changed (on their usual line) and some lines added."""
    usual = {"unit": '"1min"', "timeline": "[0, 50]", "csparql": '"q.rq"'} | changed
    head = [f"{key} = {value}" for key, value in usual.items()]
    return "\n".join([*head, *lines, "[streams]", f'"{S}" = "s.trig"', ""])


def read(folder: Path):
    """What the one comparison of a folder does."""
    return comparison_of(read_experiment(folder))


def message(folder: Path, text: str | bytes) -> str:
    with pytest.raises(LarsError) as caught:
        read(write(folder, text))
    return str(caught.value)


def test_keys_take_values_as_their_options_do(folder):
    experiment = read_experiment(write(folder, assigned(f'"{S}" = "{P}"')))
    assert comparison_of(experiment).assigned == {Iri(S): (Iri(P),)}
    assert read(write(folder, full(period="[5, '120s', \"7\"]"))).periods == (5, 2, 7)
    assert read(write(folder, full(time="'<urn:t>'"))).trace.options.time == "urn:t"


def test_a_short_experiment_has_the_defaults(folder):
    experiment = read_experiment(write(folder, full()))
    found = comparison_of(experiment)
    trace = found.trace
    assert (experiment.file.title, trace.options.unit, trace.timeline) == ("", MINUTE, Interval(0, 50))
    assert (found.csparql, found.cqels) == (load_query(folder / "q.rq", MINUTE), None)
    assert (trace.options.streams, trace.static, found.assigned) == ({folder / "s.trig": S}, (), {})
    setting = found.setting
    assert (setting.profile, setting.bounds, setting.trigger) == ("paper2015", None, "any")
    assert (found.periods, trace.options.origin, trace.options.trace_unit) == ((), None, None)


def test_the_unit_and_the_timeline_have_the_defaults_of_the_command_line(folder):
    lines = full().splitlines()
    found = read(write(folder, "\n".join(lines[2:])))
    assert (found.trace.options.unit, found.trace.timeline) == (Duration(10**9), None)


FULL = f"""
title = "Everything"
unit = "1s"
timeline = [5, 60]
csparql = "q.rq"
cqels = "c.rq"
static = ["a.ttl", "../outside.ttl"]
period = [5, 10]
profile = "sparql11"
bounds = "low-open"
trigger = "query-streams"
origin = 2024-05-01T12:00:00Z
trace_unit = "1ms"
[streams]
"{S}" = "frames"
[assign]
"{S}" = ["{P}", "{Q}", "{P}"]
"""


def test_every_key_is_read(folder):
    experiment = read_experiment(write(folder, FULL))
    found = comparison_of(experiment)
    options = found.trace.options
    assert (experiment.file.title, found.trace.timeline) == ("Everything", Interval(5, 60))
    queries = tuple(load_query(folder / name, Duration(10**9)) for name in ("q.rq", "c.rq"))
    assert (found.csparql, found.cqels) == queries
    assert found.trace.static == (StaticFile(folder / "a.ttl"), StaticFile(folder / "../outside.ttl"))
    assert (found.setting.profile, found.setting.bounds) == ("sparql11", "low-open")
    assert (found.setting.trigger, found.periods) == ("query-streams", (5, 10))
    assert options.origin == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert (options.trace_unit, options.streams) == (Duration(10**6), {folder / "frames": S})
    assert found.assigned == {Iri(S): (Iri(P), Iri(Q))}


@pytest.mark.parametrize(
    ("period", "periods"),
    [
        *(("5", (5,)), ("[5, 10]", (5, 10)), ('"2..4"', (2, 3, 4)), ('"7,5"', (7, 5)), ("[5, 5]", (5,))),
        *(('"5min"', (5,)), ('"1h..3h..1h"', (60, 120, 180)), ('[5, "2h"]', (5, 120)), ('["1h", 60]', (60,))),
    ],
)
def test_a_period_is_a_number_a_list_or_a_range(folder, period, periods):
    assert read(write(folder, full(period=period))).periods == periods


@pytest.mark.parametrize(
    ("lines", "milliseconds"),
    [
        ({}, 1000),
        ({"period": '"1500ms"'}, 500),
        ({"period": '["1s..3s", "250ms"]'}, 250),
        ({"trace_unit": '"100ms"'}, 100),
        ({"csparql": '"fine.rq"'}, 40),
        ({"csparql": '"fine.rq"', "period": '"15ms"'}, 5),
    ],
)
def test_without_a_unit_it_is_the_longest_that_fits_every_duration(folder, lines, milliseconds):
    (folder / "fine.rq").write_text(
        f"SELECT ?x FROM STREAM <{S}> [RANGE 240ms STEP 200ms] WHERE {{ ?x <{P}> ?y }}"
    )
    text = full(**lines).replace('unit = "1min"\n', "", 1)
    found = read(write(folder, text))
    assert found.setting.unit == found.trace.options.unit == Duration(milliseconds * 10**6)


def test_a_unit_that_is_given_stays(folder):
    assert read(write(folder, full(unit='"1s"', trace_unit='"1ms"'))).setting.unit == SECOND


def test_all_cells_have_the_unit_that_fits_every_value_of_the_grid(folder):
    query = f"SELECT ?x FROM STREAM <{S}> [RANGE {{L}} STEP {{L}}] WHERE {{ ?x <{P}> ?y }}"
    (folder / "grid.rq").write_text(query)
    text = full('grid = {L = ["2s", "200ms", "300ms"]}', csparql='"grid.rq"').replace(
        'unit = "1min"\n', "", 1
    )
    cells = cells_of(read_experiment(write(folder, text)))
    assert [cell.work.setting.unit for cell in cells] == [Duration(10**8)] * 3


def test_a_grid_may_have_hundreds_of_cells(folder):
    text = full(period='"{U}"') + '[grid]\nU = "1..150"\n'
    assert len(cells_of(read_experiment(write(folder, text)))) == 150


@pytest.mark.parametrize("text", ["\ufeff" + full(), full().replace("\n", "\r\n")])
def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(folder, text):
    assert read(write(folder, text)).trace.options.unit == MINUTE


def test_an_origin_without_an_offset_stays_local(folder):
    found = read(write(folder, full(origin='"2024-05-01T12:00:00"'))).trace.options.origin
    assert found is not None
    assert found.tzinfo is None


def test_an_experiment_can_have_the_cqels_query_alone(folder):
    text = full().replace("csparql", "cqels").replace("q.rq", "c.rq")
    assert read(write(folder, text)).cqels == load_query(folder / "c.rq", MINUTE)


HERE = {file.parent.name for file in SAMPLES.glob("*/*.toml")} - DOWNLOADED


@pytest.mark.parametrize("folder_name", sorted(HERE))
def test_every_sample_is_read(folder_name):
    found = cells_of(read_experiment(SAMPLES / folder_name))
    assert all(cell.work.periods for cell in found)


def assigned(table: str) -> str:
    return full() + f"[assign]\n{table}\n"


QUERY = 'name = "q"\ncsparql = "q.rq"\n'
TRACE = 'name = "t"\nfiles = "s.trig"\n'
SYNTAX = [
    ("unit = ", 1, "invalid TOML", "Invalid value"),
    ("unit = null", 1, "null is not a value of TOML; leave out the key"),
    ("sort = True", 1, "True is not a value of TOML; use true"),
    ('unit = "1s"\nunit = "1s"\n', 2, "given twice"),
    (full("[streams]", f'"{Q}" = "s.trig"'), 6, "given twice"),
    (f'unit = "1s"\nstreams = {{"{S}" = "s.trig"', 2, "invalid TOML"),
    ('unit = "1s\n', 1, "invalid TOML"),
    ("unit: 1s\n", 1, "invalid TOML", "Expected '='"),
    ('title = "x"\nunit = 1min\n', 2, "invalid TOML"),
    (b'unit = "1s"\ntitle = "\xff"\n', 2, "UTF-8"),
    ("timeline = [0, 1" + "0" * 5000 + "]\n", None, "too many digits"),
    ("timeline = " + "[" * 50_000, None, "nested too deeply"),
]

KEYS = [
    (full("timline = [0, 50]"), 4, "timline: unknown key, did you mean timeline?\n"),
    (full("colour = 1"), 4, "unknown key", "colour", "expected title, unit"),
    (full('"" = 1'), 4, "unknown key"),
    ('csparql = "q.rq"\ntimeline = [0, 5]\n[streams]\n', 3, "streams", "at least one stream"),
    (full().replace("csparql", "# csparql"), None, "missing query", "csparql, cqels", "or [[queries]]"),
    ('unit = "1s"\ncsparql = "q.rq"\n', None, "missing trace", "required: streams, files", "or [[traces]]"),
    (full() + f"[[queries]]\n{QUERY}", 3, "csparql", "combined with [[queries]]", "use only one"),
    (full() + f"[[traces]]\n{TRACE}", 4, "streams", "combined with [[traces]]", "use only one"),
    (full(period="5") + "[[comparisons]]\nperiod = 5\n", 2, "timeline", "combined with [[comparisons]]"),
    (full() + '[[engines]]\nengine = "csparql"\nformat = "csv"\n', 8, "format", "expected answers_format"),
    (full() + '[[engines]]\nengine = "csparql"\ntime_unit = "1s"\n', 8, "expected answers_unit"),
    (full(period='"{U}"', csparql='"q.rq"') + "[grid]\nU = [5, 6]\n", None, "2 cells", "`lars run`"),
    (full(period='"{V}"') + "[grid]\nU = [5]\n", 4, "placeholder {V}", "expected {U}"),
    (full(period='"{U}"') + "[grid]\nU = [0]\n", 4, "a period must be at least 1", "with U = 0"),
    (full(files='"s.trig"'), 4, "files", "found streams and files", "use one of"),
    (full() + "period = 5\n", 6, "period", "is in the table streams", "above"),
    (full("[other]", "x = 1"), 4, "unknown key", "other"),
    (full("memory = 1"), 4, "memory: an experiment cannot contain this option; use lars agree --memory\n"),
    (full("time-limit = 1"), 4, "use lars decide --time-limit\n"),
    (full('engine = "csparql"'), 4, "this table does not have the key; use the key in [[engines]]\n"),
    (
        full("generate = {period = 1}"),
        4,
        "use the key in [[comparisons]] or the table at the top of the file",
    ),
    (full("from = 1"), 4, "did you mean timeline?\n"),
    (full('null = "-"'), 4, "null: requires the key columns"),
    (full("time = 'u:t'", "generate = {}").partition("[streams]")[0], 4, "time: cannot combine time with"),
]

VALUES = [
    (full(title="5"), 4, "title", "found 5", "text in quotes"),
    (full(unit="60"), 1, "unit", "found 60", "such as 30s or 1min"),
    (full(unit='"a minute"'), 1, "'a minute' is not a duration", "such as 30s"),
    (full(unit='"0s"'), 1, 'found "0s"', "above zero"),
    (full(unit='"-1s"'), 1, "'-1s' is not a duration", "such as 30s"),
    (full(unit='"' + "9" * 5000 + 's"'), 1, "found", "..."),
    (full(trace_unit="true"), 4, "trace_unit", "found true"),
    (full(timeline="50"), 2, "timeline", "found 50", "[0, 50]"),
    (full(timeline="[50, 0]"), 2, "found [50, 0]", "first <= last"),
    (full(timeline="[-1, 5]"), 2, "found [-1, 5]", "0 <= first"),
    (full(timeline="[0, 5.0]"), 2, "found [0, 5.0]", "whole numbers"),
    (full(timeline="[false, true]"), 2, "found [false, true]"),
    (full(timeline="[0, 5, 9]"), 2, "found [0, 5, 9]"),
    (full(timeline="[0, 9223372036854775808]"), 2, "found [0, 9223372036854775808]"),
    (full(timeline="[\n  0,\n  'x'\n]"), 2, 'found [0, "x"]'),
    (full(profile='"sparql"'), 4, 'found "sparql"', '"paper2015", "sparql11"'),
    (full(bounds='"shut"'), 4, 'found "shut"', '"closed", "low-open", "high-open"'),
    (full(bounds="[]"), 4, "found []", '"closed"'),
    (full(trigger='"all"'), 4, 'found "all"', '"any", "query-streams", "matching"'),
    (full(origin="2024-05-01"), 4, 'found "2024-05-01"', "date with a time"),
    (full(origin='"yesterday"'), 4, 'found "yesterday"', "2026-01-31T12:00:00Z"),
    (full(origin='"2024-13-01T00:00:00Z"'), 4, "2024-13-01", "expected a dateTime"),
    (full(origin="0"), 4, "found 0", "expected a dateTime"),
]

PERIODS = [
    (full(period="0"), 4, "a period must be at least 1"),
    (full(period="-5"), 4, '"-5" is not a valid period', "whole numbers"),
    (full(period="5.0"), 4, "found 5.0", "whole numbers with an optional unit"),
    (full(period="true"), 4, "found true"),
    (full(period='"90s"'), 4, "duration 90s", "not a multiple of the unit 1m"),
    (full(period="[]"), 4, "found []", "a list 5,10"),
    (full(period="[5, [10]]"), 4, "found [5, [10]]"),
    (full(sort='"yes"'), 4, 'found "yes"', "true or false"),
    (full(null="3"), 4, "found 3", "a text in quotes or a list"),
    (full(prefixes="{a = 3}"), 4, 'found {"a": 3}', "a table of texts"),
    (full(prefixes="{a = 'x'}"), 4, 'found "x"', "an absolute IRI"),
    (full(period="[5, 0]"), 4, "a period must be at least 1"),
    (
        full(on='"?x,?z"'),
        4,
        "on: ?z: the C-SPARQL query does not return this variable",
        "use one or more of ?x",
    ),
    (full(on="['z']", cqels='"c.rq"'), 4, "on: ?z: the C-SPARQL query does not return this variable"),
    (full(period='"5mins"'), 4, '"5mins" is not a valid period', "whole numbers", "1s..60s"),
    (full(period='"50..1"'), 4, "reversed", "use 1..50"),
    (full(period='"1..999999999"'), 4, "more than 10000 periods"),
    (full(period='""'), 4, '"" is not a valid period'),
]

FILES = [
    (full(csparql='"none.rq"'), 3, "csparql", '"none.rq" does not exist', "looked in"),
    (full(csparql='"frames"'), 3, '"frames" is a folder', "a file"),
    (full(csparql='""'), 3, 'found ""', "path of a file"),
    (full(csparql="7"), 3, "csparql", "found 7"),
    (full(cqels='"none.rq"'), 4, "cqels", '"none.rq" does not exist'),
    (full(cqels=r'"\u0000"'), 4, "does not exist"),
    (full(cqels='"' + "x" * 5000 + '"'), 4, "does not exist"),
    (full(static='[\n  "a.ttl",\n  "none.ttl",\n]'), 6, "static", '"none.ttl" does not exist'),
    (full(static='["a.ttl", 5]'), 4, "static", "found 5"),
    (full().replace("s.trig", "t.trig"), 5, S, '"t.trig" does not exist'),
    (full().replace('"s.trig"', "3"), 5, "streams", "found 3", "path of a file"),
]

STREAMS = [
    (full().replace(S, "s t"), 5, 'found "s t"', "a stream's name, an IRI or a text"),
    (full().replace("[streams]", "[[streams]]"), 4, "streams", "found [{", "a table"),
    (full().replace(S, f"<{S}>"), 5, f'found "<{S}>"', "without < >"),
    ('streams = "s.trig"\n' + full().split("[streams]")[0], 1, 'found "s.trig"', "a table"),
    (assigned(f'"{Q}" = ["{P}"]'), 7, f"no trace for the stream <{Q}>", f"streams with a trace: <{S}>"),
    (assigned(f'"{S}" = 3'), 7, "found 3", "predicates in a list"),
    (assigned(f'"{S}" = ["near"]'), 7, 'found "near"', "predicate", "absolute IRI"),
    (full() + f'"{Q}" = "./s.trig"\n', 6, f"./s.trig is already the trace of <{S}>", "another file"),
    (assigned(f'"{S}" = []'), 7, "found []", "predicates in a list"),
    (assigned(f'"{S}" = ["{P}"]\n"{Q}" = ["{P}"]'), 8, f"<{P}> is assigned to <{S}> and to <{Q}>"),
]

MALFORMED = [*SYNTAX, *KEYS, *VALUES, *PERIODS, *FILES, *STREAMS]


@pytest.mark.parametrize(("text", "line", "words"), [(text, line, words) for text, line, *words in MALFORMED])
def test_a_wrong_experiment_is_told_where_and_what(folder, text, line, words):
    found = message(folder, text)
    file = folder / "experiment.toml"
    assert found.startswith(f"{file}: " if line is None else f"{file}:{line}:")
    assert [word for word in words if word not in found] == []
    assert "pydantic" not in found
    assert len(found) < 700


@pytest.mark.parametrize(
    ("text", "under_caret"),
    [
        (full(unit='"0s"'), '"0s"'),
        (full("colour = 1"), "colour"),
        (full(static='["a.ttl", "none.ttl"]'), '"none.ttl"'),
        (full().replace(S, "s t"), '"s t"'),
        (full().replace('[streams]\n"', '[streams]\n"<x>" = "y"\n"'), '"<x>"'),
    ],
)
def test_the_caret_stands_under_what_is_wrong(folder, text, under_caret):
    with pytest.raises(PlacedError) as caught:
        read(write(folder, text))
    place = caught.value.place
    assert place.line_text[place.column - 1 :].startswith(under_caret)


def test_of_several_errors_the_first_in_the_text_is_told(folder):
    assert ":1:" in message(folder, full(unit='"0s"', bounds='"x"', timeline="[]"))


def test_a_folder_without_an_experiment_says_so(folder):
    with pytest.raises(
        LarsError, match=r"toml: no such file; expected .* a folder that contains experiment\.toml"
    ):
        read_experiment(folder)
    with pytest.raises(LarsError, match=r"absent: no such file; expected an experiment"):
        read_experiment(folder / "absent")


def cells(folder, text):
    return cells_of(read_experiment(write(folder, text)))


def test_the_top_of_the_file_says_what_one_entry_of_each_kind_says(folder):
    tables = f"""[[queries]]
name = "query"
csparql = "q.rq"
[[traces]]
name = "trace"
streams = {{"{S}" = "s.trig"}}
[[comparisons]]
timeline = [0, 50]
period = 5
"""
    short, long = cells(folder, full(period="5")), cells(folder, f'unit = "1min"\n{tables}')
    assert short == long
    assert [str(cell) for cell in short] == ["query on trace, agree"]


def test_engines_judge_the_query_at_the_top_and_nothing_is_compared(folder):
    text = full().replace("timeline = [0, 50]\n", "") + '[[engines]]\nengine = "csparql"\n'
    assert [str(cell) for cell in cells(folder, text)] == ["query on trace, csparql"]
    assert [cell.name for cell in cells(folder, "period = 5\n" + text)] == ["csparql", "agree"]


def test_a_grid_fills_the_top_of_the_file_too(folder):
    text = full(period='"{U}"') + '[grid]\nU = "5..6"\n'
    assert [cell.work.periods for cell in cells(folder, text)] == [(5,), (6,)]


def test_without_a_grid_braces_are_text(folder):
    (folder / "q.rq").write_text((folder / "q.rq").read_text().replace("?y }", "?y FILTER(?y != '{U}') }"))
    assert "{U}" in str(read(write(folder, full())).csparql.pattern)


def test_a_trace_at_the_top_can_be_made_up(folder):
    text = full(generate="{stations = 2, interval = '1min', duration = '5min'}").partition("[streams]")[0]
    made = read(write(folder, text)).generated
    assert isinstance(made, Plan)
    assert (made.stations, made.unit) == (2, MINUTE)


@pytest.mark.parametrize("own", sorted(one.value for one in Language if one is not Language.JANUS))
@pytest.mark.parametrize("key", ["csparql", "cqels", "kolibrie"])
def test_a_query_under_the_key_of_another_language_names_its_key(folder, key, own):
    (folder / "o.rq").write_text((SAMPLES / f"crowd/query.{own}.rq").read_text())
    text = full().replace('csparql = "q.rq"', f'{key} = "o.rq"').replace("1min", "1s")
    if own == key or (key, own) == ("kolibrie", "rspql"):  # Kolibrie reads the text of RSP-QL, too.
        assert len(cells(folder, text)) == 1
        return
    with pytest.raises(LarsError, match=f"{key}: the query") as caught:
        cells(folder, text)
    assert f"is in {Language(own).manner.title}; use the key {own}" in str(caught.value)


def test_another_fault_under_the_right_key_names_no_other_key(folder):
    (folder / "o.rq").write_text("SELECT ?x { STREAM <u:s> [RANGE 9s] { ?x a ?y } FILTER(?y <<< 3) }")
    with pytest.raises(PlacedError, match=r"o\.rq:1:") as caught:
        cells(folder, full().replace('csparql = "q.rq"', 'cqels = "o.rq"'))
    assert "use the key" not in str(caught.value)


@pytest.mark.parametrize(("key", "side"), [("sparqlstream", "csparql"), ("rspql", "cqels")])
def test_other_languages_stand_on_the_side_that_reads_streams_as_they_do(folder, key, side):
    texts = {
        "sparqlstream": f"SELECT ?x FROM NAMED STREAM <{S}> [NOW - 5 M] WHERE {{ ?x <{P}> ?y }}",
        "rspql": f"SELECT ?x FROM NAMED WINDOW <w> ON <{S}> [RANGE PT5M] {{ WINDOW <w> {{ ?x a ?y }} }}",
    }
    (folder / "o.rq").write_text(texts[key])
    found = read(write(folder, full().replace('csparql = "q.rq"', f'{key} = "o.rq"')))
    other = {"csparql": "cqels", "cqels": "csparql"}[side]
    assert getattr(found, side).language.value == key
    assert getattr(found, other) is None


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        *(
            ("5", (5,)),
            (" 5 , 10 ", (5, 10)),
            ("1 .. 3", (1, 2, 3)),
            ("1..3,2,9", (1, 2, 3, 9)),
            ("007", (7,)),
        ),
        *(
            ("2..9..3", (2, 5, 8)),
            ("7..7..9", (7,)),
            ("5s", (5,)),
            ("1s..3s", (1, 2, 3)),
            ("1min,7", (60, 7)),
        ),
        *(("58s..1m", (58, 59, 60)), ("10s .. 1m .. 25s", (10, 35, 60)), ("1000ms", (1,)), ("1m30s", (90,))),
    ],
)
def test_periods_are_read_from_an_option(text, periods):
    assert tuple(points_of(one, SECOND) for one in read_periods(text)) == periods


def test_a_range_of_durations_goes_by_the_smallest_unit_that_it_is_written_with():
    assert len(read_periods("100ms..2s")) == 1901
    assert len(read_periods("1m..2h")) == 120


def test_a_period_that_is_no_whole_number_of_units_is_named():
    with pytest.raises(LarsError, match=r"the duration 1500ms is not a multiple of the unit 1s"):
        read_periods("1500ms")[0].points(SECOND)


@pytest.mark.parametrize(
    "text",
    [
        *("0", "-1", "+5", "5.0", "1e3", "five", "", ",", "5,", "1..", "..5", "1...5", "0..5", "5..1", "٥"),
        *(
            "1..2..0",
            "1..2..3..4",
            "1..2..",
            "5s..1s",
            "0s",
            "0s..5s",
            "1s..5",
            "1..5s",
            "1s..5s..0s",
            "1ms..11s",
        ),
        *(
            "1s..2s..3s..4s",
            "-1s",
            "1.5s",
            "s",
            "200000000000000000s",
            "1..10001",
            "1..5000,1..5001",
            "9223372036854775808",
            "9" * 5000,
            "1.." + "9" * 5000,
        ),
    ],
)
def test_other_texts_are_no_periods(text):
    with pytest.raises(LarsError, match=r"period") as caught:
        read_periods(text)
    assert len(str(caught.value)) < 300


def test_the_schema_names_every_key_and_is_json():
    found = json.loads(json.dumps(schema()))
    keys = {"title", "unit", "timeline", "csparql", "cqels", "streams", "static", "period", "profile"}
    keys |= {"prefixes", "columns", "on", "blank_nodes", "time", "base", "rdf", "readings", "null"}
    keys |= {"bounds", "trigger", "assign", "origin", "trace_unit", "files", "sort", "arrival"}
    keys |= {language.value for language in Language}
    assert set(found["properties"]) == keys | {
        *("generate", "grid", "queries", "traces", "engines", "comparisons", "on", "prefixes"),
    }
    assert found["properties"]["bounds"]["anyOf"][0]["enum"] == ["closed", "low-open", "high-open", "open"]
    assert found["additionalProperties"] is False
    assert {"required": ["csparql"]} in found["allOf"][0]["anyOf"]
    for table in (found, *(found["$defs"][f"{name}Table"] for name in ("Query", "Trace", "Engine"))):
        assert all(key["description"] for key in table["properties"].values())


MAPPED = {
    '":temp" = "{tmep}"': (
        "5:11",
        "t.csv has no column tmep (did you mean time or temp?); its columns are time",
    ),
    '":temp" = "no:{temp}"': ("5:11", "the template 'no:{temp}' uses the undeclared prefix no:"),
    '"no:temp" = "{temp}"': ("5:1", "the template 'no:temp' uses the undeclared prefix no:"),
}


@pytest.mark.parametrize("command", ["agree", "solve", "run"])
@pytest.mark.parametrize("line", MAPPED)
def test_an_error_in_a_mapping_has_its_place_in_the_file(tmp_path, monkeypatch, command, line):
    monkeypatch.chdir(tmp_path)
    text = "SELECT ?s ?v FROM STREAM <http://e/S> [RANGE 3s STEP 3s] WHERE { ?s <http://e/temp> ?v }"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "t.csv").write_text("time,sensor,temp\n1,a,20\n9,a,21\n")
    head = 'csparql = "q.rq"\nstreams = {"http://e/S" = "t.csv"}\nprefixes = {"" = "http://e/"}\n[columns]\n'
    (tmp_path / "experiment.toml").write_text(f'{head}{line}\nt = "{{time}}"\ns = ":{{sensor}}"\n')
    place, said = MAPPED[line]
    ran = lars(command, ".")
    assert (ran.code, f"experiment.toml:{place}: {said}" in ran.err) == (2, True)


@pytest.mark.parametrize("command", COMMAND_OPTIONS)
def test_options_that_errors_about_keys_name_are_options_of_the_command_and_not_keys(command):
    help_text = lars(command, "--help").out
    keys = keys_of(ExperimentFile)
    for option in COMMAND_OPTIONS[command]:
        assert re.search(rf"--{option}(?![\w-])", help_text), option
        assert option.replace("-", "_") not in keys


def test_a_trace_of_an_experiment_may_be_a_pipe(folder):
    (folder / "s.trig").unlink()
    os.mkfifo(folder / "s.trig")
    assert read(write(folder, full(period="5"))).trace.paths == (folder / "s.trig",)


@pytest.mark.parametrize("target", ["none.trig", "s.trig"])
def test_a_link_that_leads_to_no_file_is_called_so(folder, target):
    (folder / "s.trig").unlink()
    (folder / "s.trig").symlink_to(target)
    assert '"s.trig" is a link, and the file to which it leads does not exist' in message(folder, full())
