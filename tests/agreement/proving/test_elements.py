"""Windows that count elements, in agree, decide and witness: against loops over the newest times."""

from itertools import chain, combinations, product
from random import Random

import pytest

from agreement import api
from agreement.proving.lateness.candidates import late_streams, scenes
from agreement.proving.lateness.replay import Replay
from tests.sizes import few
from tests.translate.dialects.test_readings import CQELS2

ELEMENTS = {"count": "elements"}
ONE, BOTH = "?s <urn:p> ?o", "?s <urn:p> ?o . ?s <urn:q> ?z"


def rows(stream, t, size, body):
    """Return the subjects at t, by the newest `size` times up to t."""
    times = sorted({u for u, _, _ in stream if u <= t})[::-1][:size]
    shown = {(s, p) for u, s, p in stream if u in times}
    wanted = {"p", "q"} if body == BOTH else {"p"}
    return {s for s, _ in shown if wanted <= {p for other, p in shown if other == s}}


def facts_of(witness):
    """Return the triples of a witness: time, subject and property."""
    return [(fact.t, *(part.strip("<>") for part in fact.arguments[:2])) for fact in witness.facts]


def renamed(stream):
    return [(t, s, p.removeprefix("urn:")) for t, s, p in stream]


def streams():
    """Yield the streams of up to three triples of one subject at the times 1 to 3."""
    triples = [(t, "a", p) for t in (1, 2, 3) for p in "pq"]
    yield from chain.from_iterable(combinations(triples, count) for count in range(4))


PAIRS = [(one, other) for one, other in product(product((1, 2), (ONE, BOTH)), repeat=2) if one != other]


@pytest.mark.parametrize(("one", "other"), few(PAIRS, 5))
def test_a_query_over_elements_contains_another_as_all_small_streams_say(one, other, tmp_path):
    files = []
    for name, query in (("one.rq", one), ("other.rq", other)):
        (tmp_path / name).write_text(CQELS2.format(f"TRIPLES {query[0]}").replace("?s <urn:p> ?o", query[1]))
        files.append(tmp_path / name)
    (answer,) = api.contained(*files, unit="1s", readings=ELEMENTS, time_limit=20).directions
    holds = all(rows(stream, t, *one) <= rows(stream, t, *other) for stream in streams() for t in (1, 2, 3))
    assert answer.holds in (holds, None), answer.why
    if answer.witness is not None:
        stream, t = renamed(facts_of(answer.witness)), answer.witness.end
        assert rows(stream, t, *one) - rows(stream, t, *other)


@pytest.mark.parametrize("seed", few(range(20), 6))
def test_push_and_pull_of_elements_agree_where_loops_say_so(seed, tmp_path):
    random = Random(seed)
    size, body, period = random.randint(1, 3), random.choice((ONE, BOTH)), random.randint(1, 4)
    times = sorted(random.sample(range(1, 12), random.randint(1, 6)))
    stream = [
        (t, s, p) for t in times for s, p in random.sample([*product("ab", "pq")], random.randint(1, 3))
    ]
    (tmp_path / "q.rq").write_text(CQELS2.format(f"TRIPLES {size}").replace("?s <urn:p> ?o", body))
    graphs = (
        f"<urn:g{t}> <http://www.w3.org/ns/prov#generatedAtTime> {t} . <urn:g{t}> {{ "
        + " . ".join(f"<urn:{s}> <urn:{p}> <urn:x>" for u, s, p in stream if u == t)
        + " }\n"
        for t in times
    )
    (tmp_path / "s.trig").write_text("".join(graphs))
    how = {"unit": "1s", "period": [period], "to": 12, "in_process": True, "readings": ELEMENTS}
    found = api.agree(tmp_path / "q.rq", stream={"S": tmp_path / "s.trig"}, certify="all", **how)
    told = [
        tuple({row[0].strip("<>").removeprefix("urn:") for row in side} for side in (one.pull, one.push))
        for one in found.verdicts[0].intervals
    ]
    mine = []
    for end in range(period, 13, period):
        pushed = (rows(stream, t, size, body) for t in times if end - period < t <= end)
        mine.append((rows(stream, end, size, body), set().union(*pushed)))
    assert told == mine


def test_the_smallest_stream_that_distinguishes_two_counts_has_elements_of_one_time(tmp_path):
    for size in (1, 2):
        (tmp_path / f"{size}.rq").write_text(CQELS2.format(f"TRIPLES {size}").replace("?s <urn:p> ?o", BOTH))
    found = api.witness(tmp_path / "1.rq", tmp_path / "2.rq", unit="1s", readings=ELEMENTS, time_limit=20)
    witnesses = [one for period in found.periods for one in period.witnesses]
    assert witnesses, found
    for witness in witnesses:
        assert len({t for t, _, _ in facts_of(witness)}) > 1


def test_all_triples_of_an_element_arrive_together(tmp_path):
    (tmp_path / "q.rq").write_text(CQELS2.format("TRIPLES 1").replace("?s <urn:p> ?o", BOTH))
    how = {"unit": "1s", "period": "2s", "delay": "2s", "readings": ELEMENTS, "time_limit": 0.1}
    question = api.decide_late(tmp_path / "q.rq", **how)._question
    ((static, match, further), *_) = scenes(question)
    streams = list(late_streams(Replay(question, static), match, further, "push"))
    assert any(came != t for stream in streams for t, came, _ in stream)
    for stream in streams:
        elements = {(t, quad[3]) for t, _, quad in stream}
        assert len(elements) == len({(t, came, quad[3]) for t, came, quad in stream})
