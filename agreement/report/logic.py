"""A query beside its rules: which lines of the query became which rule, and by which scheme."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agreement.outputs import Json
from lars.errors import LarsError
from lars.program import Program, Rule
from translate.query import EngineQuery
from translate.writing import write_query

_WORD: Final = re.compile(r"\?\w+|[\w-]+(?=>)|(?<=:)[\w-]+|\d+")
_LEAF: Final = re.compile(r"s?triple\(([^()]*)\)|\[([^\[\]]+)\]")
_SELECTED: Final = re.compile(r"\s*(SELECT|CONSTRUCT|ASK|DESCRIBE)")
_WINDOW: Final = re.compile(r"⊞\^")


def side_by_side(
    query: EngineQuery, program: Program, title: str, mode: str, given: EngineQuery | None = None
) -> Json:
    """Return the lines of a query and the rules of its program, each with the numbers of its lines.

    A query that its language has no words for, which can be where it is derived, is shown as the one given.
    """
    lines = _text(query, given).rstrip("\n").split("\n")
    words = [set(_WORD.findall(line)) for line in lines]
    rules = [
        {"text": _shortened(str(rule)), "scheme": scheme(rule), "lines": [*_lines(str(rule), words, lines)]}
        for rule in program.rules
    ]
    return {"title": title, "mode": mode, "query": lines, "rules": rules}


def _text(query: EngineQuery, given: EngineQuery | None) -> str:
    try:
        return write_query(query, query.language)
    except LarsError:
        return "" if given is None else _text(given, None)


def _shortened(rule: str) -> str:
    return re.sub(r"<[^<>]*[/#]([^<>/#]+)>", r":\1", rule)


def scheme(rule: Rule) -> str:
    """Return what kind of rule τ made."""
    head, _, body = str(rule).partition("←")
    leaves = len(_LEAF.findall(body))
    if head.strip() == "trigger":
        return "trigger"
    if head.startswith("triple("):
        return "window, merged into one graph"
    if _WINDOW.search(body):
        return "window: a pattern on a stream"
    if "triple(" in body:
        return "pattern on static or merged data"
    return "condition" if leaves else "join" if body.count("ans") > 1 else "projection"


def _lines(rule: str, words: Sequence[set[str]], lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines with a pattern, condition or stream of the rule; of ans1 also what is selected."""
    parts = [set(_WORD.findall("".join(found))) for found in _LEAF.findall(rule)]
    streams = {word for word in _WORD.findall(rule) if not word.startswith("?")}
    for number, line in enumerate(lines):
        own = words[number]
        constants = {word for word in own if not word.startswith("?")}
        clause = re.search("STREAM|FROM", line) is not None
        selected = rule.startswith("ans1") and _SELECTED.match(line)
        windowed = clause and "⊞" in rule and constants & streams
        if windowed or selected or (not clause and any(_says(own, part) for part in parts)):
            yield number


def _says(line: set[str], part: set[str]) -> bool:
    constants = {word for word in part if not word.startswith("?")}
    variables = part - constants
    return bool(constants & line) and (not variables or bool(variables & line))
