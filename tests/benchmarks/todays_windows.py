"""The windows of today's languages against a naive evaluation, on drawn cases.

`python -m tests.benchmarks.todays_windows [SEED] CASES` draws pairs of queries in CQELS 2, Kolibrie, sparq,
Janus, RSP-QL, C-SPARQL and CQELS with one or two windows each, and traces. The naive evaluation knows of each
window which times it shows, from the languages' documents, and joins triples in loops. The rows of `agree`
are compared with it, the streams of `decide --contained` and `witness` are tried by it. Where they say that
there is none, all streams of up to two triples are tried, which is enough for these queries (A7), at all
times up to where windows are periodic: one for each set of windows that show a time. Each case chooses
readings too. It prints each difference, and how often each said what.
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from random import Random

from agreement import api
from lars.errors import FailedRunError, LarsError

STREAM = "http://e/s"
EDGES = ("?a :p ?b", "?b :q ?c")
LAST = 14
UNTIL = 75
"""By then windows whose steps have the least common multiple 60 have been in every phase."""


@dataclass(frozen=True)
class Window:
    """A window's text, and the first and the last time that it shows at t; where first > last, none.

    Reports on it are due `lead` after t, for every t that is a multiple of `every`; None: none are.
    With `latest`, it shows the newest elements of these times: the triples of one time are one element.
    """

    text: str
    shows: Callable
    every: int | None = None
    lead: int = 0
    latest: int | None = None

    def content(self, facts, t):
        """Return the facts that the window shows at t."""
        first, last = self.shows(t)
        shown = [one for one in facts if first <= one[0] <= last]
        newest = sorted({one[0] for one in shown})[-self.latest :] if self.latest else None
        return shown if newest is None else [one for one in shown if one[0] in newest]


def closing(width, step):
    """[c - width, c) for the last multiple c of the step."""
    return lambda t: (t - t % step - width, t - t % step - 1)


def closed(width, step=1):
    """[c - width, c] for the last multiple c of the step."""
    return lambda t: (t - t % step - width, t - t % step)


def last_closed(width, step, start=0):
    """The last of [start + k step, .. + width), k >= 0, that closed at or before t."""

    def shows(t):
        opens = start + (t - start - width) // step * step
        return (opens, opens + width - 1) if opens >= start else (0, -1)

    return shows


ELEMENTS = {"count": "elements"}, {"count": "elements", "grain": "message"}
"""Readings that tell elements apart, which have different times then."""
READINGS = (
    *[{}] * 3,
    {"range-alone": "sliding", "log": "causal", "anchor": "element", "offset": "step"},
    {"range-alone": "tumbling", "log": "causal", "offset": "end"},
    {"anchor": "element"},
    *ELEMENTS,
)


def alone(draw, width, usual):
    """Return what a window without a step shows, as the reading of the case or else its language says."""
    of_readings = {"sliding": closed(width), "tumbling": closed(width, width)}
    said = draw.readings.get("range-alone")
    return usual if said is None or (said == "tumbling" and usual(1) != (1 - width, 1)) else of_readings[said]


def sparq(draw):
    width, step, start = draw.randint(1, 5), draw.randint(1, 5), draw.randint(0, 4)
    if draw.randrange(3) == 0:
        return Window(f"RANGE {width}", alone(draw, width, last_closed(width, width)))
    if draw.randrange(2) == 0:
        return Window(f"RANGE PT{width}S STEP {step}", last_closed(width, step))
    return Window(f"[RANGE {width} STEP {step} T0 {start}]", last_closed(width, step, start))


def kolibrie(draw):
    width, step = draw.randint(1, 5), draw.randint(1, 5)
    if draw.randrange(3) == 0:
        return Window(f"[RANGE {width}]", alone(draw, width, closing(width, width)))
    return Window(f"[RANGE {width} STEP {step}]", closing(width, step))


def janus(draw):
    width, step, kind = draw.randint(1, 5), draw.randint(1, 4), draw.randrange(3)
    if kind == 0:
        return Window(f"[RANGE {width}000 STEP {step}000]", closing(width, step), step)
    if kind == 1:
        begin, end = draw.randint(0, 6), draw.randint(7, 12)
        causal = draw.readings.get("log") == "causal"
        shows = lambda t: (begin, min(t, end) if causal else end)  # noqa: E731
        return Window(f"LOG[START {begin}000 END {end}000]", shows)
    offset = width + draw.randint(0, 4)
    text = f"LOG[OFFSET {offset}000 RANGE {width}000 STEP {step}000]"
    if draw.readings.get("offset") == "end":
        return Window(text, lambda t: (t - offset - width, t - offset - 1), step)
    # The documents do not say what its STEP means; it is asked at each time.
    moves = step if draw.readings.get("offset") == "step" else 1
    return Window(text, lambda t: (t - t % moves - offset, t - t % moves - offset + width), step)


def cqels2(draw):
    width, step, future = draw.randint(1, 5), draw.randint(1, 5), draw.randint(1, 4)
    stepped = closing(width, step) if width % step == 0 else last_closed(width, step)
    ahead = lambda t: tuple(end + 1 for end in stepped(t))  # noqa: E731
    directed = lambda t: (t - t % step - width + 1, t - t % step + future)  # noqa: E731
    if draw.readings.get("anchor") == "element":
        ahead = lambda t: (t + 1, t + width)  # noqa: E731
        directed = lambda t: (t - width + 1, t + future)  # noqa: E731
    if draw.readings in ELEMENTS and draw.randrange(2):
        return draw.choice((
            Window(f"[TRIPLES {width}]", lambda t: (0, t), latest=width),
            Window("[NOW]", closed(0)),
        ))  # fmt: skip
    return draw.choice((
        Window(f"[RANGE {width}s]", alone(draw, width, closing(width, width))),
        Window(f"[RANGE {width}s STEP {step}s]", stepped),
        Window(f"[SLIDE {width}s STEP {step}s]", stepped),
        Window(f"[PAST {width}s FUTURE {future}s STEP {step}s]", directed, step, future),
        Window(f"[FUTURE {width}s STEP {step}s]", ahead),
    ))  # fmt: skip


def rspql(draw):
    width, step = draw.randint(1, 5), draw.randint(1, 5)
    return Window(f"[RANGE PT{width}S STEP PT{step}S]", closed(width, step))


def csparql(draw):
    width, step = draw.randint(1, 5), draw.randint(1, 5)
    return Window(f"[RANGE {width}s STEP {step}s]", closed(width, step))


def cqels(draw):
    width, step = draw.randint(1, 5), draw.randint(1, 5)
    kinds = Window(f"[RANGE {width}s]", alone(draw, width, closed(width))), Window("[NOW]", closed(0))
    return draw.choice((*kinds, Window(f"[RANGE {width}s SLIDE {step}s]", closed(width, step))))


MADE = {f.__name__: f for f in (sparq, kolibrie, janus, cqels2, rspql, csparql, cqels)}
JUDGED = ("sparq", "kolibrie", "cqels2", "janus")
PULLED = [name for name in MADE if name not in {"cqels", "csparql"}]


@dataclass(frozen=True)
class Query:
    """A query's text and its windows, one for each of its patterns."""

    language: str
    text: str
    windows: tuple

    @property
    def stream(self):
        return "s" if self.language == "cqels2" else STREAM

    def rows(self, facts, t):
        """Return the rows at t: joins of what the windows show; C-SPARQL's are in one graph."""
        shown = [window.content(facts, t) for window in self.windows]
        if self.language == "csparql":
            shown = [list(chain(*shown))] * 2
        ends = [{(s, o) for _, s, p, o in part if p == name} for part, name in zip(shown, "pq", strict=False)]
        if " ?c" not in self.text:
            return ends[0]
        return {(a, b) for (a, b), (c, _) in product(*ends) if b == c}

    def times(self, t):
        return [window.shows(t) for window in self.windows]


def drawn(draw, language, like=None, blocks=None):
    """Return a query of the language with one or two windows, some of them those of a query like it."""
    windows = tuple(MADE[language](draw) for _ in range(blocks or draw.randint(1, 2)))
    if like is not None:
        windows = tuple(draw.choice((*like.windows, *like.windows, window)) for window in windows)
    while language == "janus" and not any(window.text.startswith("LOG") for window in windows):
        # Without a log it is read as RSP-QL.
        windows = (janus(draw), *windows[1:])
    declared, body = [], []
    for number, (window, edge) in enumerate(zip(windows, EDGES, strict=False)):
        bare = window.text.removeprefix("LOG")
        name = "s" if language == "cqels2" else f"<{STREAM}>"
        if language in {"cqels", "cqels2"}:
            body.append(f"STREAM {name} {bare} {{ {edge} }}")
        elif language == "csparql":
            declared.append(f"FROM STREAM {name} {bare}")
            body.append(f"{edge} .")
        else:
            on = "" if language in {"sparq", "kolibrie"} else "LOG " if bare != window.text else "STREAM "
            declared.append(f"FROM NAMED WINDOW :w{number} ON {on}{name} {bare}")
            body.append(f"WINDOW :w{number} {{ {edge} }}")
    head = {"csparql": "REGISTER QUERY q AS", "cqels": "", "cqels2": ""}.get(
        language, "REGISTER RSTREAM <http://e/out> AS"
    )
    before, after = (
        (["PREFIX : <http://e/>"], [head]) if language != "csparql" else ([head], ["PREFIX : <http://e/>"])
    )
    lines = [*before, *after, "SELECT ?a ?b", *declared, f"WHERE {{ {' '.join(body)} }}"]
    return Query(language, "\n".join(filter(None, lines)), windows)


def traced(draw):
    """Return facts: time, subject, predicate, object."""
    ends, found = {"p": ("ab", "cd"), "q": ("cd", "ef")}, set()
    for p in draw.choices("pq", k=draw.randint(0, 9)):
        found.add((draw.randint(0, LAST), draw.choice(ends[p][0]), p, draw.choice(ends[p][1])))
    return sorted(found)


def every_stream(*queries):
    """Yield a time and a stream of a triple for each pattern, near the time or where windows stay.

    Times that the same windows show give the same rows. Where windows show the latest elements, elements that
    match nothing push others out.
    """
    latest = max(window.latest or 0 for query in queries for window in query.windows)
    for t in range(UNTIL):
        shown = [ends for query in queries for ends in query.times(t)]
        times = {*range(max(t - 15, 0), t + 6), *range(13)}
        near = {tuple(first <= at <= last for first, last in shown): at for at in times}.values()
        if latest:
            # The order of elements counts: of the times that the same windows show, both ends.
            times = sorted(times, reverse=True)
            near = {*near, *{tuple(a <= at <= z for a, z in shown): at for at in times}.values()}
        for at in near:
            for more in later(at, at, t, latest):
                yield t, [(at, "a", "p", "c"), *more]
            for other in near:
                for more in later(at, other, t, latest):
                    yield t, [(at, "a", "p", "c"), (other, "c", "q", "e"), *more]


def later(at, other, t, latest):
    """Yield elements that match nothing: up to `latest` between two times, and up to `latest` after both."""
    first, last = sorted((at, other))
    between = range(first + 1, min(last, first + 1 + latest))
    after = range(last + 1, min(t + 1, last + 1 + latest))
    for n, m in product(range(len(between) + 1), range(len(after) + 1)):
        yield [(time, "x", "other", "y") for time in (*between[:n], *after[:m])]


def trig(facts, readings):
    """Return a trace in TriG: each fact a graph of its own, dated, or the facts of one time together."""
    lines = ["@prefix : <http://e/> .", "@prefix prov: <http://www.w3.org/ns/prov#> ."]
    for number, (t, s, p, o) in enumerate(facts):
        graph = f":t{t}" if readings in ELEMENTS else f":g{number}"
        lines += [f"{graph} prov:generatedAtTime {t} .", f"{graph} {{ :{s} :{p} :{o} . }}"]
    return "\n".join(lines)


def compared(pull, push, facts, period):
    """Return what pull and push report in each whole period."""
    found = []
    for end in range(period, LAST + 1, period):
        times = {t for t, *_ in facts if end - period < t <= end}
        found.append((pull.rows(facts, end), set().union(*(push.rows(facts, t) for t in times))))
    return found


def parts(witness, one, other):
    """Whether the rows that a witness has on one side alone are those of the naive evaluation.

    A side is pulled at the end of the period, or pushed at each arrival in the period. The left rows are
    those of the side that is pushed, whichever of the queries that is.
    """
    told = local(witness.left_only), local(witness.right_only)
    sides = []
    for query in (one, other):
        facts = facts_of(witness.facts, query)
        times = {fact.t for fact in witness.facts if witness.start < fact.t <= witness.end}
        pushed = set().union(*(query.rows(facts, t) for t in times))
        sides.append((query.rows(facts, witness.end), pushed))
    found = [(mine - theirs, theirs - mine) for mine, theirs in product(*sides)]
    return told in found or told[::-1] in found


def alike(one, other, facts, t, period):
    """Whether two queries report the same rows: a pushed and a pulled one in the period that ends at t."""
    pushed = [query for query in (one, other) if "[NOW]" in query.text]
    if len(pushed) != 1 or t % period:
        return len(pushed) == 1 or one.rows(facts, t) == other.rows(facts, t)
    (push,) = pushed
    pull = other if push is one else one
    times = {at for at, *_ in facts if t - period < at <= t}
    return pull.rows(facts, t) == set().union(*(push.rows(facts, at) for at in times))


def local(rows):
    return {tuple(text.strip("<>").rpartition("/")[2] for text in row) for row in rows}


class Tried:
    """A case's files, and how often each command said what."""

    def __init__(self, folder):
        self.folder, self.counts, self.wrong = Path(folder), Counter(), 0

    def path(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def note(self, what, said, right, *case):
        self.counts[f"{what}: {said}"] += 1
        if not right:
            self.wrong += 1
            print(
                f"WRONG {what}: {said}",
                *(one.text if isinstance(one, Query) else one for one in case),
                sep="\n",
            )

    def agree(self, draw, pull, push):
        facts, period = traced(draw), draw.randint(1, 5)
        files = [self.path(f"{n}.rq", one.text) for n, one in enumerate((pull, push))]
        read = dict.fromkeys((pull.stream, push.stream))
        given = {name: self.path(f"{n}.trig", trig(facts, draw.readings)) for n, name in enumerate(read)}
        how = {"from_": 0, "to": LAST, "in_process": True, "readings": draw.readings}
        found = api.agree(*files, stream=given, unit="1s", period=[period], **how)
        mine = compared(pull, push, facts, period)
        theirs = [(local(one.pull), local(one.push)) for one in found.verdicts[0].intervals]
        said = "agree" if found.agree else "disagree"
        # Each row of one side alone has a cause.
        assert len(found.differences) == sum(len(one ^ other) for one, other in mine)
        self.note("agree", said, mine == theirs, pull, push, facts, period, mine, theirs)

    def contained(self, draw, one, other):
        files = [self.path(f"{n}.rq", query.text) for n, query in enumerate((one, other))]
        found = api.contained(*files, unit="1s", time_limit=5, readings=draw.readings)
        (answer,) = found.directions
        right = True
        if answer.witness is not None:
            facts, t = answer.witness.facts, answer.witness.end
            right = not one.rows(facts_of(facts, one), t) <= other.rows(facts_of(facts, other), t)
        elif answer.holds and one.stream == other.stream:
            right = all(one.rows(facts, t) <= other.rows(facts, t) for t, facts in every_stream(one, other))
        why = f" ({answer.why[:60]})" if answer.holds is None else ""
        self.note("contained", f"{answer.verdict}{why}", right, one, other, answer.why, answer.witness)

    def witness(self, draw, one, other):
        files = [self.path(f"{n}.rq", query.text) for n, query in enumerate((one, other))]
        found = api.witness(*files, unit="1s", time_limit=5, readings=draw.readings)
        for period in found.periods:
            said = period.search_end or "witness"
            right = all(parts(each, one, other) for each in period.witnesses)
            if said == "none" and one.stream == other.stream and len(found.periods) == 1:
                right = all(
                    alike(one, other, facts, t, period.period) for t, facts in every_stream(one, other)
                )
            said += f" ({period.why[:60]})" if said in {"not searched", "none up to"} else ""
            self.note("witness", said, right, one, other, period)

    def judge(self, draw):
        """Judge what the naive evaluation reports, or the same with a row more."""
        draw.readings = draw.choice(({}, {"log": "causal"}, {"offset": "end"}))
        language = draw.choice(JUDGED)
        query, facts = drawn(draw, language, blocks=1 + (language in {"janus", "sparq"})), traced(draw)
        reports = reported(draw, query, facts)
        if not reports:
            return
        wrong = draw.randrange(2)
        if wrong:
            place = draw.randrange(len(reports))
            reports[place] = (reports[place][0], reports[place][1] | {("zz", "zz")})
        lines = [f"{json.dumps(as_json(*one))}\n" for one in reports]
        answers = self.path("answers.ndjson", "".join(lines))
        how = {"unit": "1s", "answers": answers, "until": LAST, "diagnosis": False, "semantics": "set"}
        stream = {query.stream: self.path("0.trig", trig(facts, draw.readings))}
        found = api.judge(self.path("0.rq", query.text), stream=stream, readings=draw.readings, **how)
        # Of another start time a report can come before the first window that counts: nothing asks for it.
        ends = (one.end for one in found.verdicts if one.phase == "windows")
        first = min(ends, default=0)
        said = "not asked" if wrong and found.correct and reports[place][0] < first else found.correct
        right = said == "not asked" or found.correct is not bool(wrong)
        self.note("judge", said, right, query, facts, reports, found.text)


def reported(draw, query, facts):
    """Return the answers that are not empty, when windows close that opened at time 0 or later."""
    if query.language == "janus":
        return logged(draw, query, facts)
    if query.language == "sparq":
        # At each close of a window the others show what closed last.
        closes = (t for t in range(1, LAST + 1) if query.times(t - 1) != query.times(t))
        return [(t, rows) for t in closes if (rows := query.rows(facts, t))]
    (window,) = query.windows
    if window.lead:
        # A window that looks ahead is laid around each anchor, and reported when it closes.
        times = [t for t in range(0, LAST + 1 - window.lead, window.every) if window.shows(t)[0] >= 1]
    else:
        # (a, a + n] of CQELS 2 opens at its anchor a, before the first time that it shows.
        least = 1 if window.text.startswith("[FUTURE") else 0
        closes = (t for t in range(1, LAST + 1) if window.shows(t - 1) != window.shows(t))
        times = [t for t in closes if window.shows(t)[0] >= least]
    rows_at = {t + window.lead: query.rows(facts, t) for t in times}
    return [(t, rows) for t, rows in rows_at.items() if rows]


def logged(draw, query, facts):
    """Return the answers over logs: at the closes of the live window, else at the steps, else once."""
    live = [each for each in query.windows if not each.text.startswith("LOG")]
    moving = live or [each for each in query.windows if each.every]
    if not moving:
        rows = query.rows(facts, LAST)
        # Asked of two times that have passed, the answer is right whenever it comes.
        return (
            [(draw.randint(max(window.shows(LAST)[1] for window in query.windows), LAST), rows)]
            if rows
            else []
        )
    steps = {each.every for each in moving}
    times = range(0, LAST + 1, steps.pop() if len(steps) == 1 else 1)
    begun = [t for t in times if moving[0].shows(t)[0] >= 0]
    return [(t, rows) for t in begun if (rows := query.rows(facts, t))]


def as_json(t, rows):
    names = [{"a": iri(a), "b": iri(b)} for a, b in sorted(rows)]
    return {"t": t, "rows": names}


def iri(name):
    return {"type": "uri", "value": f"http://e/{name}"}


def facts_of(facts, query):
    """Return facts of the program on a query's stream as those that are drawn."""
    own = [one for one in facts if one.arguments[3] == f"<{query.stream}>"]
    return sorted(
        (one.t, *(text.strip("<>").rpartition("/")[2] for text in one.arguments[:3])) for one in own
    )


def one_case(tried, draw):
    """Try one pair each."""
    draw.readings = draw.choice(READINGS)
    pull, push = (("csparql", draw.choice(PULLED)), (draw.choice(PULLED), "cqels"))[draw.randrange(2)]
    # Only CQELS 2 has windows of elements.
    one, other = draw.choices(["cqels2"] if draw.readings in ELEMENTS else PULLED, k=2)
    first = drawn(draw, one)
    second = drawn(draw, one, like=first) if draw.randrange(2) else drawn(draw, other)
    pairs = (first, second)
    steps = (
        (tried.agree, drawn(draw, pull), drawn(draw, push)),
        (tried.contained, *pairs),
        (tried.witness, *pairs),
        (tried.judge,),
    )
    for step, *queries in steps:
        try:
            step(draw, *queries)
        except FailedRunError as error:
            tried.note(step.__name__, str(error), False, *queries)
        except LarsError as error:
            tried.note(step.__name__, f"refused: {error}"[:90].splitlines()[0], right=True)


def main():
    cases, seed = int(sys.argv[-1]), sys.argv[1] if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        tried = Tried(folder)
        for number in range(cases):
            one_case(tried, Random(f"{seed}-{number}"))
            if number % 250 == 0:
                print(f"{number} of {cases}", flush=True)
    for said, times in sorted(tried.counts.items()):
        print(f"{times:6} {said}")
    print(f"{tried.wrong} wrong")
    sys.exit(tried.wrong > 0)


if __name__ == "__main__":
    main()
