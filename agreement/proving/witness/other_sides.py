"""Search for streams on which two profiles differ, or two readings of one query.

Profiles are specifications or engine versions. The search tries streams one by one, the smallest stream
first. Reports depend on the start of windows, so a stream does not represent shifted streams. Let g divide
every length, end and slide of a window, every start, and the period of each specification. A stream of n
triples is characterised by the multiples of g around its times, and by the order of its times between these
multiples. So the search tries at most n time points after each multiple of g, if streams have n triples. Two
kinds of streams are not tried: times later than twice the longest duration and slide after the last start,
and other orders of triples at one time. If the search finds no stream, the output mentions these limits.

Readings of one query are two values of its bounds, triggers, profiles, operators or variants. Both readings
are evaluated by push.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import combinations, islice
from math import gcd
from typing import Final, assert_never, get_args

from agreement.documents.outputs import quantity
from agreement.documents.requests import sources
from agreement.documents.traces import streams_of
from agreement.proving.decisions import Decision, Witness
from agreement.proving.witness.candidate_atoms import candidate_atoms, value_copies
from agreement.proving.witness.searching import none_up_to, out_of_time
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError, TimeLimitError
from lars.language.stream import ToStream
from lars.language.terms import Atom
from lars.language.windows import Bounds
from lars.options import kind_of_value
from solver.deadlines import Deadline, until
from solver.facts import Background, Fact, Row
from solver.job import Question, ask
from solver.search import Contest, with_atoms
from solver.settings import Progress
from translate.analysis import Choice, cq, model_of_cqels
from translate.model.query import EngineQuery, Profile, Setting, Trigger
from translate.model.windows import Range, Span
from translate.tau import lars_program, output_of, push

MOST_TRIED: Final = 4_000
"""The maximum number of streams that are tried for each number of triples."""
_MOST_TRIPLES: Final = 3
_MOST_STATIC: Final = 1
WitnessTest = Callable[[Witness], bool]
Reports = Mapping[float, Sequence[Counter[Row]]]


@dataclass(frozen=True, slots=True)
class NamedProfile:
    """The name of a specification or engine version, with the start time t0 of its windows or None."""

    name: str
    start: int | None = None

    def __str__(self) -> str:
        return self.name if self.start is None else f"{self.name}@{self.start}"


@dataclass(frozen=True, slots=True)
class ProfileContest:
    """The search for a stream on which two specifications or engine versions report differently.

    Each of the two specifications or engine versions runs one of the two queries. If `static` is None, the
    static data are arbitrary.
    """

    queries: tuple[EngineQuery, EngineQuery]
    profiles: tuple[NamedProfile, NamedProfile]
    setting: Setting
    static: Background | None

    def smallest(
        self, triples: int | None, deadline: Deadline, progress: Progress, accepted: Callable[[Witness], bool]
    ) -> Decision:
        """Return a decision with the smallest stream that `accepted` accepts, or why no stream is found.

        A stream with fewer triples is smaller. If streams have equally many triples, a stream with an earlier
        difference is smaller.
        """
        programs = [lars_program(query, self.setting) for query in self.queries]
        streams = tuple(dict.fromkeys(stream for query in self.queries for stream in streams_of(query)))
        most = _MOST_TRIPLES if triples is None else triples
        try:
            with until(deadline):
                copies = value_copies(programs, most=most + _MOST_STATIC)
                atoms = candidate_atoms(programs, streams, self.static, copies=copies)
        except TimeLimitError:
            return out_of_time(0, None)
        candidates = len(atoms.arrivals) + len(atoms.static)
        when = f"at times up to {self._last}, the triples of one instant in one order"
        if len(atoms.static) > _MOST_STATIC:
            when += f", with at most {quantity(_MOST_STATIC, 'static triple')}"
        for size in range(most + 1):
            progress(size, most + 1)
            # One more than the limit is enough to see that there are too many streams.
            times = islice(self._times(size), MOST_TRIED + 1)
            places = [(t, atom) for t in times for atom in atoms.arrivals]
            every = [
                (chosen, static)
                for count in range(_MOST_STATIC + 1)
                for static in combinations(atoms.static, count)
                for chosen in islice(combinations(places, size), MOST_TRIED + 1)
            ]
            if len(every) > MOST_TRIED and not size:
                return Decision(
                    "open", f"no stream is tried: {len(atoms.static)} static triples are too many"
                )
            if len(every) > MOST_TRIED:
                return none_up_to(
                    size - 1, candidates, "too many streams with more triples exist to try all of them", when
                )
            witnesses: list[Witness] = []
            for chosen, static in every:
                if deadline.is_over:
                    best = min(witnesses, key=_cost, default=None)
                    return out_of_time(size, best if best is not None and accepted(best) else None)
                witness = self._difference(chosen, static)
                witnesses += [] if witness is None else [witness]
            for witness in sorted(witnesses, key=_cost):
                if accepted(witness):
                    return Decision("not always", witnesses=(witness,))
        return none_up_to(most, candidates, "no theorem bounds the triples of two profiles", when)

    def _times(self, size: int) -> Iterator[int]:
        """Yield the time points to try for the arrivals of triples, if a stream has `size` triples."""
        unit, last = self.setting.unit.nanoseconds, self._last
        shared = gcd(*self._durations, *((profile.start or 0) * unit for profile in self.profiles))
        step = 1 if shared % unit else shared // unit or 1
        multiples = range(0, last + 1, step)
        near = (t + more for t in multiples for more in range(min(size + 1, step)))
        return (t for t in near if 1 <= t <= last)

    @property
    def _spans(self) -> list[Range | Span]:
        windows = [source.window for query in self.queries for source in sources(query)]
        return [window for window in windows if isinstance(window, Range | Span)]

    @property
    def _durations(self) -> list[int]:
        """The lengths, ends and slides of all windows, and all periods of specifications, in nanoseconds."""
        given = [getattr(span, part.name) for span in self._spans for part in fields(span)]
        given += [_period(profile.name) for profile in self.profiles]
        return [duration.nanoseconds for duration in given if isinstance(duration, Duration)]

    @property
    def _last(self) -> int:
        """The last time point to try for the arrival of a triple."""
        unit = self.setting.unit.nanoseconds
        slides = [span.slide.nanoseconds for span in self._spans if isinstance(span, Range) and span.slide]
        longest = max((unit, *self._durations)) + max((unit, *slides))
        return max(profile.start or 0 for profile in self.profiles) + 2 * -(-longest // unit)

    def _reports(self, facts: Sequence[Fact], known: Background) -> tuple[Reports, Reports]:
        """Return the reports of both specifications or engine versions on a stream and static data."""
        # This module loads engines, which other searches do not need.
        from agreement.proving.witness.profile_reports import profile_reports

        inputs = facts, known, self._last
        one, other = (
            profile_reports(query, self.setting, (profile.name, profile.start), inputs)
            for query, profile in zip(self.queries, self.profiles, strict=True)
        )
        return one, other

    def _difference(self, chosen: Sequence[tuple[int, Atom]], static: Sequence[Atom]) -> Witness | None:
        """Return a witness for the first time at which the reports differ; None if the reports never differ.

        If a start time t0 is given for both sides, only differences after both start times count. The stream
        of the witness ends at the time of the difference, unless only a later triple makes an engine report.
        """
        unit = self.setting.unit
        facts = tuple(Fact(t, atom.predicate, tuple(map(str, atom.arguments))) for t, atom in chosen)
        known = with_atoms(self.static or {}, static)
        one, other = self._reports(facts, known)
        begun = [profile.start for profile in self.profiles]
        first = max(t for t in begun if t is not None) if None not in begun else -1
        for t in sorted(one.keys() | other.keys()):
            point = round(t / unit.milliseconds)
            mine, theirs = one.get(t, []), other.get(t, [])
            if mine != theirs and point > first:
                rows = [sum(some, Counter[Row]()) for some in (mine, theirs)]
                sentences = (
                    f"{p} {_rows_text(some)}" for p, some in zip(self.profiles, (mine, theirs), strict=True)
                )
                left, right = (frozenset(a - b) for a, b in (rows, rows[::-1]))
                seen = tuple(fact for fact in facts if fact.t <= point)
                # An engine may report at the arrival of a later triple what belongs to this time; then the
                # triple stays.
                if seen != facts:
                    now = [reports.get(t, []) for reports in self._reports(seen, known)]
                    seen = seen if now == [mine, theirs] else facts
                return Witness(seen, known, point - 1, point, left, right, ", ".join(sentences))
        return None


def _rows_text(reports: Sequence[Counter[Row]]) -> str:
    numbers = " and ".join(quantity(some.total(), "row") for some in reports)
    return f"reports {numbers}" if reports else "does not report"


def _cost(witness: Witness) -> tuple[int, int, int, tuple[int, ...]]:
    static = sum(len(tuple(rows)) for rows in witness.static.values())
    return (len(witness.facts), static, witness.end, tuple(fact.t for fact in witness.facts))


OneReading = Bounds | Trigger | Profile | ToStream | Choice
_KINDS: Final = (Bounds, Trigger, Profile, ToStream, Choice)
Readings = tuple[OneReading, OneReading] | tuple[NamedProfile, NamedProfile]
_START: Final = re.compile(r"(.+)@([0-9]{1,9})")


@kind_of_value("A,B", "str")
def read_sides(text: str) -> Readings:
    """Return the two variants of a query, or the two engines, that a text such as `closed,high-open` names.

    Raises:
        LarsError: The text names neither two variants of one kind, nor two specifications or engine versions.

    >>> read_sides("any,matching")
    ('any', 'matching')
    """
    for kind in _KINDS:
        named = {value.lower(): value for value in get_args(kind)}
        parts = text.lower().split(",")
        if len(set(parts)) == len(parts) == 2 and set(parts) <= named.keys():  # noqa: PLR2004
            return named[parts[0]], named[parts[1]]
    profiles = [_profile(part) for part in text.split(",")]
    match profiles:
        case [NamedProfile() as profile, NamedProfile() as other] if profile != other:
            return profile, other
        case _:
            pass
    from agreement.comparing.judge import ACCEPTED_JUDGES

    accepted = "; ".join(", ".join(get_args(kind)).lower() for kind in _KINDS)
    accepted += f"; {ACCEPTED_JUDGES}, a specification can have a start time, such as rspql@4"
    raise LarsError(f"expected two values A,B from one of these lists: {accepted}")


def _period(name: str) -> Duration | None:
    """Return the report period of a specification; None if the name is the name of an engine version."""
    from agreement.comparing.compare import profile
    from agreement.engines.specifications import Specification

    found = profile(name)
    return found.period if isinstance(found, Specification) else None


def _profile(text: str) -> NamedProfile | None:
    """Return the specification or engine version in a text such as `cqels` or `rspql@4`, or None."""
    from agreement.comparing.compare import profile
    from agreement.comparing.judge import is_judge
    from agreement.engines.specifications import Specification

    match = _START.fullmatch(text)
    name, start = (text, None) if match is None else (match[1], int(match[2]))
    if not is_judge(name) or (start is not None and not isinstance(profile(name), Specification)):
        return None
    return NamedProfile(name, start)


def two_readings(query: EngineQuery, sides: tuple[OneReading, OneReading], setting: Setting) -> Contest:
    """Return a search that compares two variants of a query under push, such as two window bounds.

    The variants are compared at each time at which at least one of them is evaluated.
    """
    questions: list[Question] = []
    kinds: list[ToStream] = ["RSTREAM", "RSTREAM"]
    for number, side in enumerate(sides):
        own, read = query, setting
        match side:
            case "closed" | "low-open" | "high-open" | "open":
                read = replace(setting, bounds=side)
            case "paper2015" | "sparql11":
                read = replace(setting, profile=side)
            case "any" | "query-streams" | "matching":
                read = replace(setting, trigger=side)
            case "RSTREAM" | "ISTREAM" | "DSTREAM":
                kinds[number] = side
            case "brave" | "cautious":
                variants = cq(model_of_cqels(query))
                own = next(variant.query for variant in variants if set(variant.choices) <= {side})
            case _:
                assert_never(side)
        questions.append(ask(push(lars_program(own, read), read.trigger), output_of(own, read).predicate))
    return Contest(questions[0], questions[1], 1, kinds=(kinds[0], kinds[1]))
