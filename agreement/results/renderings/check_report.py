"""The output of `lars check`: whether a stream is an answer stream, or the violated rule or atom.

As JSON: {"origin", "t", "correct", "streams": [one per stream of the file]}. "correct" means that each stream
of the file is an answer stream. If time 0 is a dateTime, "origin" contains this dateTime, and "t_date"
contains the dateTime of t. A stream: "verdict" is "answer stream", "no interpretation" (with "missing",
"extra", "outside": atoms), "violated" ("rule", "instance", "values" of its variables, "why", and how many
"others" are violated) or "smaller model" ("least" and "unfounded": atoms; "unsupported": those that no rule
derives; "circle": links with "head", "rule", "instance", "formula", "windows", "below"). "founded" is true if
the stream is also an answer stream under the founded reading, in which the stream itself decides `not not p`.
"choice" contains the atoms that windows with ties `choose` keep, and "choices" is the number of tried
choices. An atom at another time than t, such as 17, is written "@_17 p".
"""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from agreement.answering.explaining import CheckReadings
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json, first_few
from lars import semantics
from lars.language.stream import Moment, write_moment

_SHOWN: Final = 20


_HEADS: Final = {
    "answer stream": "an answer stream",
    "no interpretation": "NOT an answer stream: no interpretation of this input",
    "violated": "NOT an answer stream: a rule is violated",
    "smaller model": "NOT an answer stream: a smaller model of the reduct exists",
}
_LISTS: Final = {
    "missing": "missing",
    "extra": "not in the trace",
    "outside": "outside the timeline",
    "unfounded": "it lacks",
    "unsupported": "head of no rule whose body holds",
}
"""The names of the lists of atoms in the text; only the first atoms of a list are shown."""


def text_lines(readings: Sequence[CheckReadings], t: int, dates: Dates) -> Iterator[str]:
    """Yield the text lines of the verdicts."""
    for number, checked in enumerate(readings, 1):
        several = f" ({number} of {len(readings)})" if len(readings) > 1 else ""
        verdict, *reasons = _in_words(_json(checked.flp, t))
        yield f"{dates.option(t)}{several}: {verdict}"
        yield from (f"  {reason}" for reason in reasons)
        if checked.differs:
            yield "  under the founded reading (not not p is decided by the stream itself) it is one"


def _in_words(verdict: Json) -> Iterator[str]:
    tried = verdict.get("choices", 1)
    yield f"{_HEADS[verdict['verdict']]}{f', for each of {tried} choices of ties' if tried > 1 else ''}"
    for key, label in _LISTS.items():
        if moments := verdict.get(key):
            yield f"{label}: {first_few(moments, _SHOWN)}"
    if "why" in verdict:
        values = ", ".join(f"{name} = {value}" for name, value in verdict["values"].items())
        yield f"rule: {verdict['rule']}"
        yield f"instance: {verdict['instance']}{f'  with {values}' if values else ''}"
        yield verdict["why"]
        if verdict["others"]:
            yield f"other violated instances: {verdict['others']}"
    if verdict.get("circle"):
        yield "each is the head of a rule whose body holds, but they support each other:"
    for link in verdict.get("circle", ()):
        through = "".join(f" through {window}" for window in link["windows"])
        yield f"  {link['head']} needs {link['below']}{through}: {link['instance']}"
    for choice in verdict.get("choice", ()):
        yield f"{choice['window']} keeps: {', '.join(choice['keeps']) or 'nothing'}"


def _why(instance: semantics.GroundRule) -> str:
    """Return a text with the reason why a rule is violated although its body holds."""
    if instance.rule.head is None:
        return "its body holds, and it is a constraint"
    head = instance.head
    return f"its body holds, its head {instance.rule.head if head is None else head} does not"


def json_document(readings: Sequence[CheckReadings], t: int, dates: Dates) -> Json:
    """Return the verdicts as one JSON document."""
    streams = [
        _json(check_readings.flp, t)
        | {"founded": isinstance(check_readings.founded, semantics.IsAnswerStream)}
        for check_readings in readings
    ]
    document = {"correct": all(check_readings.correct for check_readings in readings), "streams": streams}
    return {"origin": dates.zero, **dates.with_dates({"t": t}), **document}


def _json(verdict: semantics.Verdict, t: int) -> Json:
    def texts(**parts: Sequence[Moment]) -> Json:
        return {name: [write_moment(moment, t) for moment in part] for name, part in parts.items()}

    def chosen(choice: semantics.Choice) -> Json:
        return {"choice": [{"window": str(window)} | texts(keeps=moments) for window, moments in choice]}

    match verdict:
        case semantics.IsAnswerStream(choice):
            return {"verdict": "answer stream"} | chosen(choice)
        case semantics.NotAnInterpretation(missing, extra, outside):
            return {"verdict": "no interpretation"} | texts(missing=missing, extra=extra, outside=outside)
        case semantics.ViolatedRule(instance, others, choice, tried):
            values = {str(name): str(value) for name, value in instance.values.items()}
            document: Json = {"verdict": "violated", "rule": str(instance.rule), "instance": str(instance)}
            document |= {"values": values, "why": _why(instance), "others": others}
            return document | chosen(choice) | {"choices": tried}
        case semantics.SmallerModel(least, unfounded, unsupported, circle, choice, tried):
            document = texts(least=least, unfounded=unfounded, unsupported=unsupported)
            links = {"circle": [_json_link(link, t) for link in circle], "choices": tried}
            return {"verdict": "smaller model"} | document | links | chosen(choice)
        case _:
            assert_never(verdict)


def _json_link(link: semantics.SupportLink, t: int) -> Json:
    return {
        "head": write_moment(link.head, t),
        "rule": str(link.instance.rule),
        "instance": str(link.instance),
        "formula": str(link.formula),
        "windows": list(map(str, link.windows)),
        "below": write_moment(link.below, t),
    }
