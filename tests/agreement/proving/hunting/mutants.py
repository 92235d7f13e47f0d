"""Engines with one fault each, whose truth is known: a specification with one rule changed, or around one."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agreement.comparing.judge.diagnosis import variations
from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.built_in import BuiltInEngine
from agreement.engines.adapters.messages import EngineReport, PushReply
from agreement.engines.specifications import Specification, builtin
from agreement.proving.hunting import Hunt, HuntLimits, made_queries, reference, run_hunt

STRICT = JudgeOptions(t0=(0,), late=0)
"""Served specifications begin at 0 and are never late."""


@dataclass
class AlteredEngine:
    """An engine that sees other queries and pushes, or whose replies are changed on their way."""

    inner: BuiltInEngine
    query: Callable = staticmethod(lambda text: text)
    pushes: Callable = staticmethod(lambda pushes: pushes)
    replies: Callable = staticmethod(lambda replies: replies)
    options: dict = None

    @property
    def name(self):
        return f"altered {self.inner.name}"

    def open(self, registration):
        options = {**registration.options, **(self.options or {})}
        changed = registration.model_copy(
            update={"query": self.query(registration.query), "options": options}
        )
        return AlteredSession(self.inner.open(changed), self)

    def end(self):
        pass


@dataclass
class AlteredSession:
    session: object
    of: AlteredEngine

    @property
    def profile(self):
        return self.session.profile

    def push(self, pushes):
        left = self.of.pushes(tuple(push.as_element() for push in pushes))
        kept = [push for push in left if push is not None]
        found = iter(self.session.push(kept))
        replies = [PushReply(reports=()) if push is None else next(found) for push in left]
        return self.of.replies(replies)

    def close(self):
        return self.session.close()


@dataclass(frozen=True)
class Mutant:
    """An engine with a fault, and the specification that it does not meet."""

    name: str
    specification: str
    engine: object

    def hunted(self, seconds, runs=None, seed=0):
        """Return the hunt for its first fault."""
        made = made_queries(self.engine, dialect=self.specification)
        judge = reference(self.specification, builtin(self.specification), STRICT)
        found = Hunt(self.engine, made.queries, judge, HuntLimits(seconds, runs, 1, seed))
        run_hunt(found)
        return found


# Where windows close by the clock nothing depends on what arrives as one; the operator is the query's,
# so that the specification's is never looked at; rows as a set are told apart by projections alone.
_EQUIVALENT = {
    "rspql": ("tick", "stream"),
    "sparqlstream": ("tick", "stream"),
    "csparql": ("tick",),
    "cqels": ("slide",),
}


def mutants() -> Iterator[Mutant]:
    """Yield every mutant."""
    for name, left_out in _EQUIVALENT.items():
        base = builtin(name)
        for says, changed in variations(base):
            if not says.startswith(left_out) and not _same(base, changed):
                yield Mutant(f"{name}: {says}", name, BuiltInEngine(changed))
        for says, parts in _around(name):
            yield Mutant(f"{name}: {says}", name, AlteredEngine(BuiltInEngine(base), **parts))


def _same(base: Specification, changed: Specification) -> bool:
    """Whether a change only takes back a choice of ends that the specification leaves."""
    return set(changed.bounds) < set(base.bounds)


def _around(name) -> Iterator[tuple[str, dict]]:
    for says, change in (("longer", 1), ("shorter", -1)):
        yield f"RANGE {says}", {"query": _numbered(r"(RANGE |NOW - )(\d+)", change)}
    if name != "cqels":
        yield "STEP longer", {"query": _numbered(r"(STEP |SLIDE )(\d+)", 1)}
        for t0 in (1, 3):
            yield f"t0 = {t0}", {"options": {"t0": t0}}
    yield "FILTER ignored", {"query": lambda text: re.sub(r"FILTER\([^)]*\)", "", text)}
    yield "OPTIONAL ignored", {"query": lambda text: re.sub(r"OPTIONAL \{[^}]*\}", "", text)}
    yield "another stream's window", {"query": lambda text: re.sub(r"(:|/)T(?=[> ])", r"\1S", text)}
    yield "first triple lost", {"pushes": lambda pushes: (None, *pushes[1:])}
    yield "equal times lost", {"pushes": _once_a_time}
    if name in ("cqels", "sparqlstream"):
        # Where windows from 0 on do not contain their openings, what comes at 0 is in none.
        yield "time 0 lost", {"pushes": lambda pushes: [push if push.t else None for push in pushes]}
    yield "duplicates of a triple lost", {"pushes": _once}
    yield "last report lost", {"replies": _without_last}
    if name != "cqels":
        # What arrivals cause is one report each, and belongs to its push, whatever its time.
        yield "reports only the latest of a push", {"replies": _each(lambda reports: reports[-1:])}
        yield "reports only the first of a push", {"replies": _each(lambda reports: reports[:1])}
        yield "late by 1", {"replies": _each(_later)}
    yield "rows twice", {"replies": _rows(lambda rows: (*rows, *rows))}
    yield "first row lost", {"replies": _rows(lambda rows: rows[1:])}
    yield "each report twice", {"replies": _each(lambda reports: (*reports, *reports))}


def _numbered(pattern, change):
    return lambda text: re.sub(pattern, lambda found: f"{found[1]}{int(found[2]) + change}", text)


def _once_a_time(pushes):
    seen = set()
    return [None if push.t in seen else seen.add(push.t) or push for push in pushes]


def _once(pushes):
    seen = set()
    return [
        None if (push.stream, push.triple) in seen else seen.add((push.stream, push.triple)) or push
        for push in pushes
    ]


def _each(change):
    return lambda replies: [
        reply.model_copy(update={"reports": tuple(change(reply.reports))}) for reply in replies
    ]


def _rows(change):
    return _each(
        lambda reports: [one.model_copy(update={"rows": tuple(change(one.rows))}) for one in reports]
    )


def _later(reports) -> list[EngineReport]:
    return [one.model_copy(update={"t": one.t + 1}) for one in reports]


def _without_last(replies):
    last = max((n for n, reply in enumerate(replies) if reply.reports), default=None)
    return [
        reply.model_copy(update={"reports": reply.reports[:-1]}) if n == last else reply
        for n, reply in enumerate(replies)
    ]
