"""What `lars check` prints: whether a stream is an answer stream, and which rule or atom says no.

As JSON: {"t", "correct", "streams": [one for each stream of the file]}; correct means that each is an
answer stream. A stream: "verdict" is "answer stream", "no interpretation" (with "missing", "extra",
"outside": atoms), "violated" ("rule", "instance", "values" of its variables, "why", and how many
"others" are violated) or "smaller model" ("least" and "unfounded": atoms; "unsupported": those that
no rule derives; "circle": links with "head", "rule", "instance", "formula", "windows", "below").
"founded" says whether it is an answer stream under the founded reading, "choice" which atoms the
windows with ties `choose` keep, "choices" how many choices were tried. An atom at another time than
t is written "@_17 p".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from agreement.candidates import Moments, candidate
from agreement.situations import Situated
from lars.circles import Instance, Link
from lars.formulas import Expression
from lars.judge import Choice, IsAnswerStream, NotAnInterpretation, SmallerModel, Verdict, Violated, judged
from lars.readings import Point, Reading
from lars.semantics import all_background
from lars.stream import Moment, Stream, write_moment
from lars.terms import Constant
from solver.conditions import evaluate

Lines = Iterator[str]
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Checked:
    """What the two readings say of one stream; LARS itself is `flp`."""

    flp: Verdict
    founded: Verdict

    @property
    def correct(self) -> bool:
        """Whether the stream is an answer stream."""
        return isinstance(self.flp, IsAnswerStream)

    @property
    def differs(self) -> bool:
        """Whether the readings say different things: only the founded one can then say yes."""
        return isinstance(self.founded, IsAnswerStream) != self.correct


def check(given: Situated, found: Moments, t: int) -> Checked:
    """Return what both readings say of the atoms as a stream of the program at t."""
    background = all_background(given.program, given.background)
    stream = candidate(found, given.program, given.stream, background)
    flp = Point(t, background)
    verdict = _judged(given, stream, flp)
    if isinstance(verdict, IsAnswerStream | NotAnInterpretation):
        return Checked(verdict, verdict)
    return Checked(verdict, _judged(given, stream, replace(flp, reading=Reading.FOUNDED)))


def _judged(given: Situated, stream: Stream, point: Point) -> Verdict:
    return judged(given.program, given.stream, stream, point, _value)


def _value(expression: Expression) -> Constant | None:
    return evaluate(expression, {})


def text_lines(found: Sequence[Checked], t: int) -> Lines:
    """Yield the verdicts for a reader."""
    for number, checked in enumerate(found, 1):
        several = f" ({number} of {len(found)})" if len(found) > 1 else ""
        said, *reasons = _said(checked.flp, t)
        yield f"{t}{several}: {said}"
        yield from (f"  {reason}" for reason in reasons)
        if checked.differs:
            yield "  under the founded reading (not not p is decided by the stream itself) it is one"


def _said(verdict: Verdict, t: int) -> Lines:
    match verdict:
        case IsAnswerStream(choice):
            yield "an answer stream"
            yield from _kept(choice, t)
        case NotAnInterpretation(missing, extra, outside):
            yield "NOT an answer stream: no interpretation of this input"
            yield from _listed("missing", missing, t)
            yield from _listed("not in the trace", extra, t)
            yield from _listed("outside the timeline", outside, t)
        case Violated():
            yield f"NOT an answer stream: a rule is violated{_tried(verdict.tried)}"
            yield from _violated(verdict)
            yield from _kept(verdict.choice, t)
        case SmallerModel():
            yield f"NOT an answer stream: a smaller model of the reduct exists{_tried(verdict.tried)}"
            yield from _smaller(verdict, t)
            yield from _kept(verdict.choice, t)
        case _:
            assert_never(verdict)


def _tried(tried: int) -> str:
    return f", for each of {tried} choices of ties" if tried > 1 else ""


def _violated(found: Violated) -> Lines:
    yield f"rule: {found.instance.rule}"
    yield f"instance: {found.instance}{_values(found.instance)}"
    yield why(found.instance)
    if found.others:
        yield f"instances violated beside it: {found.others}"


def why(instance: Instance) -> str:
    """Return why a rule instance whose body holds is violated."""
    if instance.rule.head is None:
        return "its body holds, and it is a constraint"
    head = instance.ground.head
    return f"its body holds, its head {instance.rule.head if head is None else head} does not"


def _values(instance: Instance) -> str:
    shown = ", ".join(f"{name} = {value}" for name, value in instance.values.items())
    return f"  with {shown}" if shown else ""


def _smaller(found: SmallerModel, t: int) -> Lines:
    yield from _listed("it lacks", found.unfounded, t)
    yield from _listed("head of no rule whose body holds", found.unsupported, t)
    if found.circle:
        yield "each is the head of a rule whose body holds, but they support each other:"
        yield from (f"  {_link(link, t)}" for link in found.circle)


def _link(link: Link, t: int) -> str:
    through = "".join(f" through {window}" for window in link.windows)
    return f"{write_moment(link.head, t)} needs {write_moment(link.below, t)}{through}: {link.instance}"


def _listed(label: str, found: Sequence[Moment], t: int) -> Lines:
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        yield f"{label}: {', '.join(write_moment(moment, t) for moment in found[:_SHOWN])}{more}"


def _kept(choice: Choice, t: int) -> Lines:
    for window, kept in choice:
        yield f"{window} keeps: {', '.join(write_moment(moment, t) for moment in kept) or 'nothing'}"


def json_document(found: Sequence[Checked], t: int) -> dict[str, Any]:
    """Return the verdicts as one JSON document."""
    streams = [_json(one.flp, t) | {"founded": isinstance(one.founded, IsAnswerStream)} for one in found]
    return {"t": t, "correct": all(one.correct for one in found), "streams": streams}


def _json(verdict: Verdict, t: int) -> dict[str, Any]:
    def texts(found: Sequence[Moment]) -> list[str]:
        return [write_moment(moment, t) for moment in found]

    match verdict:
        case IsAnswerStream(choice):
            return {"verdict": "answer stream"} | _chosen(choice, texts)
        case NotAnInterpretation(missing, extra, outside):
            parts = {"missing": missing, "extra": extra, "outside": outside}
            return {"verdict": "no interpretation"} | {name: texts(part) for name, part in parts.items()}
        case Violated(instance, others, choice, tried):
            said = {"verdict": "violated", **_instance(instance), "why": why(instance), "others": others}
            return said | _chosen(choice, texts) | {"choices": tried}
        case SmallerModel(least, unfounded, unsupported, circle, choice, tried):
            parts = {"least": least, "unfounded": unfounded, "unsupported": unsupported}
            said = {"verdict": "smaller model"} | {name: texts(part) for name, part in parts.items()}
            return (
                said
                | {"circle": [_json_link(x, t) for x in circle], "choices": tried}
                | _chosen(choice, texts)
            )
        case _:
            assert_never(verdict)


def _instance(instance: Instance) -> dict[str, Any]:
    values = {str(name): str(value) for name, value in instance.values.items()}
    return {"rule": str(instance.rule), "instance": str(instance), "values": values}


def _json_link(link: Link, t: int) -> dict[str, Any]:
    return {
        "head": write_moment(link.head, t),
        "rule": str(link.instance.rule),
        "instance": str(link.instance),
        "formula": str(link.formula),
        "windows": [str(window) for window in link.windows],
        "below": write_moment(link.below, t),
    }


def _chosen(choice: Choice, texts: Callable[[Sequence[Moment]], list[str]]) -> dict[str, Any]:
    return {"choice": [{"window": str(window), "keeps": texts(kept)} for window, kept in choice]}
