"""Pages of event streams: members, their order, and faults."""

from random import Random

import pyoxigraph as ox
import pytest

from tests.solver.traces.both_readings import read_trace_in_process
from tests.solver.traces.writing import SECONDS, both, message, options, written

HEAD = (
    "@prefix ldes: <https://w3id.org/ldes#> . @prefix tree: <https://w3id.org/tree#> . @prefix : <urn:> .\n"
)
PAGE = HEAD + (
    ":S ldes:timestampPath :at ; ldes:sequencePath (:meta :n) ; tree:member :b , :a , :c .\n"
    ":b :at 7 ; :meta [ :n 10 ] .\n:a :at 7 ; :meta [ :n 9 ] .\n:c :at 3 .\n"
)


def names(rows):
    return list(dict.fromkeys((row[0], row[2]) for row in rows if row[2].startswith("<")))


def test_members_come_by_time_then_by_sequence(spark, tmp_path):
    rows = both(spark, written(tmp_path, {"a.ttl": PAGE}))
    assert names(rows) == [(3, "<urn:c>"), (7, "<urn:a>"), (7, "<urn:b>")]
    assert sum(row[3] == "<urn:n>" for row in rows) == 2


@pytest.mark.parametrize("name", ["a.nt", "a.nq", "a.trig", "a.jsonld", "a"])
def test_a_page_is_the_same_in_every_syntax(spark, tmp_path, name):
    kind = ox.RdfFormat.from_extension(name.partition(".")[2] or "trig")
    data = ox.serialize(ox.parse(PAGE.encode(), format=ox.RdfFormat.TURTLE), format=kind)
    rows = both(spark, written(tmp_path, {name: data}))
    assert names(rows) == [(3, "<urn:c>"), (7, "<urn:a>"), (7, "<urn:b>")]


def test_the_graph_of_a_member_belongs_to_it_and_a_member_that_it_names_does_not(tmp_path):
    page = (
        HEAD
        + ":S ldes:timestampPath :at ; tree:member _:m , :b .\n_:m :at 1 ; :p :b .\n:b :at 2 ; :q _:m .\n"
    )
    rows = read_trace_in_process(written(tmp_path, {"a.trig": page + ":b { :x :y :z }\n"}), SECONDS)
    assert [(t, arguments[1]) for t, *_, arguments in rows] == [
        *((1, "<urn:at>"), (1, "<urn:p>"), (2, "<urn:at>"), (2, "<urn:q>"), (2, "<urn:y>")),
    ]


def test_the_triples_of_the_graph_of_a_member_are_in_a_named_graph(tmp_path):
    page = HEAD + ":S ldes:timestampPath :at ; tree:member :b .\n:b :at 2 .\n:b { :x :y :z }\n"
    rows = read_trace_in_process(written(tmp_path, {"a.trig": page}), options(graphs=True))
    assert [row[-1] for row in rows if row[3] == "squad"] == [
        ("<urn:x>", "<urn:y>", "<urn:z>", "<urn:b>", "null")
    ]


@pytest.mark.parametrize("seed", range(10))
def test_members_in_any_order_of_the_page_come_in_that_of_the_stream(tmp_path, seed):
    random = Random(seed)
    keys = [(random.randrange(1, 4), number) for number in random.sample(range(100), 9)]
    lines = [f":m{n} :at {t} ; :n {n} . :S tree:member :m{n} .\n" for t, n in keys]
    page = HEAD + ":S ldes:timestampPath :at ; ldes:sequencePath :n .\n" + "".join(lines)
    rows = read_trace_in_process(written(tmp_path, {"a.ttl": page}), SECONDS)
    found = [(t, int(arguments[0][6:-1])) for t, *_, arguments in rows]
    assert found == [key for key in sorted(keys) for _ in range(2)]


FAULTS = {
    "no time": (PAGE.replace(":c :at 3", ":c :p 3"), "5:1: the member <urn:c> has no time"),
    "two times": (PAGE.replace(":at 3", ":at 3 , 4"), "5:1: the member <urn:c> has the times"),
    "no dateTime": (PAGE.replace(":at 3", ":at :x"), "5:1: <urn:x> is not a time"),
    "a missing member": (PAGE.replace(", :c", ", :d"), "2:1: the member <urn:d> has no time"),
    "another path": (PAGE.replace("Path :at", "Path [ :inverse :at ]"), "2:1: found a complex path as"),
    "a cyclic path": (PAGE.replace("Path :at", "Path _:x") + "_:x <urn:y> _:x .", "2:1: found a complex"),
    "two streams": (PAGE + ":T ldes:timestampPath :at .", "6:1: found 2 values of ldes:timestampPath"),
    "syntax": (PAGE + ":a :b", "6:"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_said_once_with_its_place(tmp_path, name):
    page, expected = FAULTS[name]
    found = message(lambda: read_trace_in_process(written(tmp_path, {"a.ttl": page}), SECONDS))
    assert found.startswith(f"{tmp_path}/a.ttl:{expected}")


@pytest.mark.parametrize("name", ["a.ttl", "A.TTL"])
def test_a_page_may_describe_itself_at_its_end(tmp_path, name):
    about, members = PAGE.removeprefix(HEAD).split("\n", 1)
    page = HEAD + members + "# a long comment\n" * 5000 + about
    wanted, found = (
        read_trace_in_process(written(tmp_path, {name: text}), SECONDS)
        for name, text in (("b.ttl", PAGE), (name, page))
    )
    assert [row[0] for row in found] == [row[0] for row in wanted]


def test_a_statement_that_a_page_repeats_is_one_statement(tmp_path):
    body = ":S ldes:timestampPath :at ; ldes:sequencePath :n ; tree:member :b , :a .\n"
    body += ":b :at 7 ; :n 1 .\n:a :at 7 ; :n 0 .\n"
    found = read_trace_in_process(written(tmp_path, {"a.ttl": HEAD + body * 2}), SECONDS)
    assert [(t, arguments[0]) for t, *_, arguments in found] == [(7, "<urn:a>")] * 2 + [(7, "<urn:b>")] * 2
