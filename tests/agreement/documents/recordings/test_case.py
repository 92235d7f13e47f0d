"""Cases: each part of the file is where the engines and the judge look for it."""

import json
import time
from math import inf
from types import SimpleNamespace

import pytest

from agreement.documents.recordings import Push, Report, read_case
from agreement.documents.recordings.case import _json
from agreement.engines.adapters import messages
from agreement.experiments.cells import AdaptedEngine
from agreement.experiments.judging import pushes_in
from lars.durations import SECOND
from solver.facts import Static
from solver.settings import TraceInput, TraceOptions
from tests.agreement.documents.recordings.samples import CASE
from tests.packs import HELD, PACKS, pack
from translate.dialects import read_query

S1 = "<http://e/s1>"


def case(folder, text=CASE):
    path = folder / "engine" / "001.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return read_case(path)


def changed(**parts):
    content = json.loads(CASE) | parts
    return json.dumps({key: value for key, value in content.items() if value is not None})


def referring(folder, *bursts):
    (folder / "s.tsv").write_text("".join(f"{n // 3}\t<http://e/{n}> <http://e/p> _:o .\n" for n in range(6)))
    keys = ("second", "t", "t_last", "first_index", "last_index")
    listed = [dict(zip(keys, burst, strict=True)) for burst in bursts]
    reference = {"file": "s.tsv", "stream": "http://e/S", "bursts": listed}
    return case(folder, changed(stream=None, stream_ref=reference, output=[], exceptions=None))


def test_a_case_holds_what_was_pushed_and_reported(tmp_path):
    found = case(tmp_path)
    assert (found.id, found.engine, found.family) == ("x/001-1-window", "csparql-0.9.7", "1-window")
    assert found.pushes[1] == Push(1200.5, "<http://e/S>", (S1, "<http://e/q>", '"x"@en'))
    assert found.recording.variables == ("o", "s")
    assert found.recording.reports == (Report(1001, ((None, S1), (None, S1)), 1), Report(2001, (), 1))
    assert found.recording.rejected == (0,)
    assert found.windows == (None, None)
    assert found.engine_window is None


def test_static_data_are_in_their_graph_or_the_default_graph(tmp_path):
    triples = frozenset({(S1, "<http://e/name>", '"one"')})
    assert case(tmp_path).static == Static(frozenset(), {"<urn:static>": triples})
    assert case(tmp_path, changed(static_graph=None)).static == Static(triples, {})


def test_the_bounds_that_an_engine_tells_are_kept(tmp_path):
    told = {"t": 7, "trigger": 1, "rows": [{"s": S1}], "window_from": 0, "window_to": 6}
    silent = {"t": 9, "trigger": 1, "rows": []}
    assert case(tmp_path, changed(output=[told, silent])).windows == ((0, 6), None)


def test_a_recording_without_rows_has_no_variables(tmp_path):
    assert case(tmp_path, changed(output=[])).recording.variables == ()


def test_triples_between_the_ends_of_a_burst_are_spread_evenly(tmp_path):
    found = referring(tmp_path, (0, 0.0, 100.0, 0, 2), (1, 1150.0, 1150.0, 3, 5))
    assert [push.t for push in found.pushes] == [0, 50, 100, 1150, 1150, 1150]
    push = Push(1150.0, "<http://e/S>", ("<http://e/4>", "<http://e/p>", "_:o"))
    assert found.pushes[4] == push.as_element() != push


def test_a_burst_of_one_triple_is_at_its_time(tmp_path):
    found = referring(tmp_path, (0, 5.5, 5.5, 0, 0))
    assert [push.t for push in found.pushes] == [5.5]


def test_a_changed_stream_file_is_read_again(tmp_path):
    referring(tmp_path, (0, 0, 0, 0, 0))
    (tmp_path / "s.tsv").write_text("0\t<http://e/new> <http://e/p> _:o .\n")
    assert read_case(tmp_path / "engine" / "001.json").pushes[0].triple[0] == "<http://e/new>"


def test_unknown_keys_say_nothing(tmp_path):
    assert case(tmp_path, changed(recorded_by="someone")) == case(tmp_path)


PACK = PACKS["recordings"].folder


@pytest.mark.parametrize("folder", [HELD, pytest.param(PACK, marks=pack("recordings"))])
def test_every_recorded_case_is_read_within_seconds(folder):
    paths = sorted(folder.glob("*/*.json"))
    began = time.process_time()
    cases = [read_case(path) for path in paths]
    assert time.process_time() - began < 10
    assert [one.id for one in cases] == [f"{path.parent.name}/{path.stem}" for path in paths]
    assert all(one.pushes and len(one.windows) == len(one.recording.reports) for one in cases)
    assert cases


@pack("recordings")
def test_as_many_reports_and_rows_are_read_as_the_index_counts():
    for line in (PACK / "index.csv").read_text("utf-8").splitlines()[1:]:
        name, _, _, triples, reports, rows = line.split(",")
        found = read_case(PACK / f"{name}.json")
        counted = (len(found.pushes), len(found.recording.reports))
        assert counted == (int(triples), int(reports)), name
        assert sum(len(report.rows) for report in found.recording.reports) == int(rows), name


LABELLED = [
    {"t": t, "stream": "http://e/S", "triple": f'_:o <http://e/p> "{text}" .'}
    for t, text in ((1, "a"), (1, "b"), (2, "a"), (2, "a"))
]


def are_apart(pushes):
    """Whether of four pushes the last two are equal, and a label is another node in each other one."""
    one, two, three, four = (push.triple[0] for push in pushes)
    return three == four and len({one, two, three}) == 3


def test_a_label_is_another_blank_node_in_each_push_of_a_case(tmp_path):
    assert are_apart(case(tmp_path, changed(stream=LABELLED, output=[], exceptions=None)).pushes)


def test_a_label_is_another_blank_node_in_each_push_that_an_adapter_gets(tmp_path):
    assert are_apart([messages._push(messages.PushMessage(**push)) for push in LABELLED])
    lines = (f'{push["triple"][:-1]}<http://e/S> "{push["t"]}" .\n' for push in LABELLED)
    (tmp_path / "t.nq").write_text("".join(lines))
    trace, query = TraceInput((tmp_path / "t.nq",), TraceOptions(unit=SECOND)), read_query(QUERY, "q.rq")
    adapted = AdaptedEngine("engine", {}, tmp_path)
    works = (SimpleNamespace(subject=one, trace=trace, unit=SECOND) for one in (adapted, None))
    pushed, of_document = (pushes_in(work, query, print)[0] for work in works)
    assert are_apart(pushed)
    assert len({push.triple[0] for push in of_document}) == 1


QUERY = "SELECT ?o { STREAM <http://e/S> [NOW] { ?o <http://e/p> ?t } }"


def test_numbers_beyond_the_integers_are_written():
    assert _json({"a": [inf, 2.0]}) == '{"a": [Infinity, 2]}'
