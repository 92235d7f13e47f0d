"""Random queries, delays, waits and periods, whose verdicts are compared with a replay of arrivals."""

import tempfile
from pathlib import Path
from random import Random

from agreement.documents import requests
from agreement.proving.decide import Places, agreement_question
from agreement.proving.lateness import LatenessQuestion, decide_lateness
from agreement.results.proofs.traceless_inputs import without_trace
from solver.deadlines import Deadline
from solver.settings import unsaid
from tests.agreement.proving.lateness.late_oracle import LateQuery, kinds, small_streams

FIRST = 24
"""A multiple of all periods and slides, after which small streams are placed."""


def window(random):
    length = random.randint(1, 4)
    return random.choice(
        [
            ("now",),
            ("all",),
            ("range", length),
            ("range", length),
            ("rows", random.randint(1, 2)),
            ("slide", length, random.randint(1, 3)),
        ]
    )


def late_query(random):
    """Return one pattern or two joined patterns, some with NOT EXISTS, some with COUNT."""
    patterns = [("a", "p", "b", window(random))]
    if random.random() < 0.5:
        patterns.append((random.choice("ab"), random.choice("pq"), "c", window(random)))
    absent = None
    if random.random() < 0.3:
        # With another predicate: a pattern that excludes itself never has a row.
        absent = (random.choice("ab"), "r", "d", window(random))
    return LateQuery(tuple(patterns), absent, random.random() < 0.2)


def lateness_question(text, delay, wait, period, trigger=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "q.cqels"
        path.write_text(text)
        reading = requests.InterpretationOptions(trigger=trigger)
        options = requests.TracelessOptions(period=(period,), around=requests.Around(), reading=reading)
        traceless = without_trace((path,), options, unsaid)
        return LatenessQuestion(agreement_question(traceless, Places("", ""), unsaid), period, delay, wait)


def wrong_verdicts(seed, streams=300, seconds=4):
    """Return the number of verdicts by kind, and a description of each that the replay refutes."""
    random = Random(seed)
    query = late_query(random)
    delay, wait, period = random.randint(0, 3), random.randint(0, 3), random.randint(1, 4)
    decisions = decide_lateness(lateness_question(query.text(), delay, wait, period), Deadline.after(seconds))
    wrong, verdicts = [], []
    for side, by_kind in decisions.items():
        verdicts += [(side, kind, decision.verdict) for kind, decision in by_kind.items()]
        for kind, decision in by_kind.items():
            if decision.witness is not None:
                stream = [(t, came, *map(_short, quad[:3])) for t, came, quad in decision.witness.stream]
                late = max(came - t for t, came, *_ in stream)
                if not 0 <= late <= delay or kind not in kinds(query, side, stream, period, wait):
                    wrong.append((query.text(), delay, wait, period, side, kind, stream))
        never = {kind for kind, decision in by_kind.items() if decision.verdict == "never"}
        every = list(small_streams(query, delay, range(FIRST, FIRST + 6), 2)) if never and delay else []
        for stream in every if len(every) <= streams else random.sample(every, streams):
            if never & kinds(query, side, stream, period, wait):
                wrong.append((query.text(), delay, wait, period, side, never, stream))
                break
    return verdicts, wrong


def _short(term):
    return str(term).split("/")[-1].rstrip(">")
