"""An explanation as one JSON document.

    {"origin", "at", "t", "atom", "answer_stream", "of", "more", "silent", "holds": true, "proof": NODE, …}
    {…, "holds": false, "derivable", "why", "nearest", "closest": [ATTEMPT], "cannot": [RULE], "lemmas"}
    {…, "answer_streams": 0, "why": {"kind": "violated", "without", "more", "violations"}}
    {…, "answer_streams": 0, "why": {"kind": "circular", "on_own_absence": [{"rules"}]}}

`origin` is the dateTime of time 0, null where times are numbers alone.
`without` counts the answer streams without constraints and heads outside the timeline, `violations`
are those of the first: {"rule", "text", "why", "binding", "head", "premises", "others"}. `more` says
that there are more answer streams than those looked at, `why` where an atom that no rule derives fails.
`at` is the reference time, `t` that of the atom. A NODE is `kind` derived, with rule, text, binding
and premises [{"literal", "why", "evidence": [NODE]}], or `repeated` when it is told elsewhere, maybe
among the lemmas, which stand too deep in the proof; or `kind` input or known (static data, facts),
with {"t", "stream", "s", "p", "o"} for a stream triple and {"t", "atom"} for others; or `kind`
absent: no such atom in [from, to]. Leaves have `windows`, outer ones first: {"window", "from", "to"}.
"""

from collections.abc import Mapping
from typing import Final, assert_never

from agreement.answering.explaining import AtomExplanation, NoAnswerStream
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, encode, record
from agreement.results.renderings.answers.explanation_text import (
    ToldOnce,
    Words,
    signature_text,
)
from lars import explain
from lars.language.program import Program
from lars.language.stream import Moment
from lars.language.terms import Atom
from lars.language.windows import Interval, Window

_RULE: Final = {"number": "rule", "rule": "text"}
_ATTEMPT: Final = _RULE | {
    "premises": "met",
    "failure": "failed",
    "left": "undecided",
    "other_count": "others",
}


def as_json(explanation: AtomExplanation | NoAnswerStream, dates: Dates) -> Json:
    """Return the explanation for machines."""
    document = (
        _unanswered(explanation, dates)
        if isinstance(explanation, NoAnswerStream)
        else _of_atom(explanation, dates)
    )
    return {"origin": dates.zero} | document


def _of_atom(explanation: AtomExplanation, dates: Dates) -> Json:
    teller = _JsonTeller(explanation.world, dates, explanation.shortfalls)
    t, atom = explanation.moment
    place = dates.with_dates({"at": explanation.world.t, "t": t}) | {
        "atom": str(atom),
        "answer_stream": explanation.number,
    }
    document = {
        "of": explanation.count,
        "more": explanation.more,
        "silent": explanation.silent,
        "holds": explanation.proof is not None,
    }
    content: Json = place | document
    if explanation.proof is not None:
        content |= {"proof": teller.node(explanation.moment, 0, [])}
    else:
        content |= teller.shortfall(next(iter(explanation.shortfalls)))
        why = None if explanation.sought is None else Words(dates).underived(explanation.sought, t)
        content |= {
            "why": why,
            "nearest": teller.nearest(explanation.sought.input if explanation.sought else None),
        }
    return content | {"lemmas": teller.rest()}


def _unanswered(stream: NoAnswerStream, dates: Dates) -> Json:
    content: Json = dates.with_dates({"at": stream.t, "t": stream.moment[0]})
    content |= {"atom": str(stream.moment[1]), "answer_streams": 0}
    if stream.world is None:
        circular = [
            {
                "predicate": signature_text(name),
                "rules": [_rule(stream.program, number) for number in numbers],
            }
            for name, numbers in stream.circular.items()
        ]
        return content | {"why": {"kind": "circular", "on_own_absence": circular}}
    teller, timeline = _JsonTeller(stream.world, dates), stream.world.view.timeline
    violations = [
        _rule(stream.program, violation.number)
        | {
            "why": Words(dates).violated(violation, timeline),
            "binding": _values(violation.binding),
            "head": None if violation.head is None else f"@_{violation.head[0]} {violation.head[1]}",
            "premises": [teller.premise(premise, 1) for premise in violation.premises],
            "others": violation.other_count,
        }
        for violation in stream.violations
    ]
    relaxed = {"without": len(stream.relaxed.streams), "more": stream.relaxed.more}
    why: Json = {"kind": "violated"} | relaxed | {"violations": violations}
    return content | {"why": why | {"lemmas": teller.rest()}}


def _rule(program: Program, number: int) -> Json:
    return {"rule": number, "text": str(program.rules[number - 1])}


class _JsonTeller:
    def __init__(
        self,
        world: explain.IndexedPoint,
        dates: Dates,
        shortfalls: Mapping[explain.Goal, explain.Shortfall] | None = None,
    ) -> None:
        self._dates, self._words = dates, Words(dates)
        self._shortfalls = shortfalls or {}
        self._once = ToldOnce(world)

    def rest(self) -> list[Json]:
        """Return the proofs that were too deep to be told in their place."""
        return [self._derived(moment, 0) for moment in self._once.left()]

    def node(self, moment: Moment, depth: int, windows: list[Json]) -> Json:
        """Return an atom with what supports it."""
        here = {"windows": windows}
        if not self._once.derived(moment):
            kind = "input" if isinstance(self._once.prover.support(moment), explain.Input) else "known"
            return {"kind": kind} | _atom(*moment, self._dates) | here
        if self._once.elsewhere(moment, depth):
            t, atom = moment
            content = self._dates.with_dates({"t": t}) | {"atom": str(atom), "repeated": True}
            return {"kind": "derived"} | content | here
        return self._derived(moment, depth) | here

    def _derived(self, moment: Moment, depth: int) -> Json:
        support = self._once.prover.support(moment)
        assert isinstance(support, explain.RuleInstance)
        premises = [self.premise(premise, depth + 1) for premise in support.premises]
        values = _values(support.binding)
        content = {"kind": "derived"} | record(support, _RULE, binding=values, premises=premises)
        return content | self._dates.with_dates({"t": moment[0]})

    def premise(self, premise: explain.Premise, depth: int) -> Json:
        """Return a body literal that holds, with what it rests on."""
        evidence = premise.evidence
        return {
            "literal": encode(premise.literal),
            "why": None if evidence is None else self._words.place_of(evidence),
            "evidence": [] if evidence is None else self._evidence(evidence, depth, []),
        }

    def _evidence(self, evidence: explain.Evidence, depth: int, windows: list[Json]) -> list[Json]:
        match evidence:
            case explain.PresentAtom(t, atom):
                return [self.node((t, atom), depth, windows)]
            case explain.AbsentAtom(atom, within):
                return [{"kind": "absent", "atom": str(atom)} | self._span(within) | {"windows": windows}]
            case explain.OutsideTimeline(t, span):
                return [
                    {"kind": "outside"}
                    | self._dates.with_dates({"t": t})
                    | self._span(span)
                    | {"windows": windows}
                ]
            case explain.WindowContent(window, interval, inner):
                return self._evidence(inner, depth, [*windows, self._window(window, interval)])
            case explain.Points(_, points, _):
                return [leaf for _, inner in points for leaf in self._evidence(inner, depth, windows)]
            case explain.Instances(t, _, some):
                return [self.node((t, atom), depth, windows) for atom in some]
            case explain.Trivial():
                return []
            case _:
                assert_never(evidence)

    def shortfall(self, goal: explain.Goal) -> Json:
        """Return what a goal lacks; what it misses in turn stands in it."""
        self._once.goals.add(goal)
        here = self._shortfalls[goal]
        return {
            "derivable": here.derivable,
            "closest": [self._attempt(attempt) for attempt in here.attempts],
            "cannot": [record(other, _RULE) for other in here.mismatches],
        }

    def _attempt(self, attempt: explain.Attempt) -> Json:
        return record(
            attempt,
            _ATTEMPT,
            binding=_values(attempt.binding),
            met=[{"literal": encode(premise.literal)} for premise in attempt.premises],
            failed=None if attempt.failure is None else self._failure(attempt.failure),
        )

    def _failure(self, failure: explain.Failure) -> Json:
        sight, despite = failure.sight, failure.despite
        content: Json = {"literal": encode(failure.literal), "why": None}
        if sight is not None:
            content |= {
                "why": self._words.unseen(sight),
                "windows": [self._window(window, interval) for window, interval in sight.windows],
                "looked_in": self._span(sight.within),
                "nearest": self.nearest(sight),
                **self._dates.with_dates({"left": sight.left}),
                "gaps": encode(sight.gaps),
            }
        elif despite is not None:
            content |= {"why": self._words.place_of(despite), "evidence": self._evidence(despite, 1, [])}
        missing = failure.missing
        if missing is not None:
            goal: Json = {"atom": str(missing.atom)} | self._span(missing.within)
            known = missing not in self._once.goals and missing in self._shortfalls
            more = self.shortfall(missing) if known else {"repeated": missing in self._once.goals}
            content |= {"missing": goal | more}
        return content

    def nearest(self, sight: explain.Sight | None) -> list[Json]:
        """Return what lies nearest before and after."""
        sides = () if sight is None else (("before", sight.before), ("after", sight.after))
        return [{"side": side} | _atom(*moment, self._dates) for side, moment in sides if moment is not None]

    def _span(self, interval: Interval) -> Json:
        return self._dates.with_dates(encode(interval))

    def _window(self, window: Window, interval: Interval) -> Json:
        return {"window": str(window), **self._span(interval)}


def _atom(t: int, atom: Atom, dates: Dates) -> Json:
    match atom:
        case Atom("striple", (s, p, o, stream)):
            return {
                **dates.with_dates({"t": t}),
                "stream": encode(stream)["value"],
                "s": encode(s),
                "p": encode(p),
                "o": encode(o),
            }
        case _:
            return dates.with_dates({"t": t}) | {"atom": str(atom)}


def _values(values: explain.Values) -> Json:
    return {variable.name: encode(term) for variable, term in values}
