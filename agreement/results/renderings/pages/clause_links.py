"""Link the lines of a query to the rules of its LARS program, and name the translation scheme of each rule.

A line of a query is linked to the rules that change if the line changes. To find the links, each constant,
condition and operator of the query is altered, one at a time, and each altered query is translated. The links
therefore do not depend on the names or the order of the rules, and equal patterns at two places have
different links.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Final

from agreement.documents.outputs import Json
from lars.errors import LarsError
from lars.language.formulas import Aggregation, Call
from lars.language.program import Program, Rule
from lars.language.terms import Iri, Literal
from translate.model import patterns
from translate.model.query import EngineQuery
from translate.writing import write_query

_MOST_RULES: Final = 20_000
"""The maximum number of rules of all altered queries together."""
_MOST_VALUES_ROWS: Final = 30
"""The maximum number of rows of VALUES that are altered one by one."""
Translate = Callable[[EngineQuery], Program]
_OTHER: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "!=", "!=": "=", "+": "-", "-": "+"}
_ANSWER: Final = re.compile(r"ans\d+")
_NAME: Final = re.compile(r"ans\w+'?")
_PROLOGUE: Final = re.compile(r"(PREFIX|BASE)\b")
_SELECTED: Final = re.compile(r"(SELECT|CONSTRUCT|ASK|DESCRIBE)\b")
_GROUP: Final = re.compile(r"(WHERE\b|\{$)")


def linked_lines(query: EngineQuery, translate: Translate) -> list[list[int]]:
    """Return, for each rule of a query's program, the numbers of the lines that produce the rule.

    Line numbers refer to the text that `write_query` returns. If the links would take seconds to compute, the
    lists of lines are empty.
    """
    lines, rules = _lines(query), list(map(str, translate(query).rules))
    others = list(islice(_altered_queries(query), _MOST_RULES // len(rules) + 1))
    if len(others) * len(rules) > _MOST_RULES:
        return [[] for _ in rules]
    lines_of: dict[int, set[int]] = defaultdict(set)
    for other in others:
        try:
            changed, now = _lines(other), list(map(str, translate(other).rules))
        except LarsError:
            continue  # no query of the language
        places = _changed_lines(lines, changed)
        for number in _lowest(rules, now):
            lines_of[number] |= places
    for place, rule in enumerate(rules):
        if rule.startswith("ans1("):
            lines_of[place] |= _first(lines, _SELECTED)
        elif _ANSWER.match(rule) and not lines_of[place]:
            lines_of[place] |= _of_inputs(rule, rules[:place], lines_of) or _first(lines, _GROUP)
    return [sorted(lines_of[number]) for number in range(len(rules))]


def _of_inputs(rule: str, before: Sequence[str], lines_of: Mapping[int, set[int]]) -> set[int]:
    """Return the query line to which all rules are linked that derive the atoms in a rule's body.

    If the rules that derive these atoms are linked to several lines, the result is empty.
    """
    names = set(_NAME.findall(rule.partition("←")[2]))
    lines = [lines_of[place] for place, other in enumerate(before) if other.partition("(")[0] in names]
    return lines[0] if lines and len(set().union(*lines)) == 1 else set()


def _first(lines: Sequence[str], kind: re.Pattern[str]) -> set[int]:
    return set([number for number, line in enumerate(lines) if kind.match(line)][:1])


def _lines(query: EngineQuery) -> list[str]:
    return [line.strip() for line in write_query(query, query.language).rstrip("\n").split("\n")]


def _altered_queries(query: EngineQuery) -> Iterator[EngineQuery]:
    for name in ("pattern", "merged"):
        for other in _altered(getattr(query, name)):
            yield replace(query, **{name: other})


def _altered(value: Any) -> Iterator[Any]:
    """Yield copies of a part of a query, each with one constant, condition or operator altered."""
    yield from _others(value)
    if isinstance(value, patterns.Values):
        return  # its rows are altered as wholes
    if isinstance(value, tuple):
        for place, part in enumerate(value):
            yield from ((*value[:place], other, *value[place + 1 :]) for other in _altered(part))
    elif is_dataclass(value) and not isinstance(value, type | Iri | Literal):
        for field in fields(value):
            if field.compare:
                yield from (
                    replace(value, **{field.name: other}) for other in _altered(getattr(value, field.name))
                )


def _others(value: Any) -> Iterator[Any]:
    match value:
        case Iri(text):
            yield Iri(f"{text}_")
        case Literal(text):
            yield replace(value, lexical=f"{text}1")
        case Call(function, arguments) if function in _OTHER:
            yield Call(_OTHER[function], arguments)
        case Aggregation():
            yield replace(value, distinct=not value.distinct)
        case patterns.TriplePattern(subject, predicate, object_) if not any(
            isinstance(term, Iri | Literal) for term in (subject, predicate, object_)
        ):
            yield replace(value, predicate=Iri("urn:_"))
        case patterns.Filter():
            yield replace(value, condition=Call("!", (value.condition,)))
        case patterns.PathPattern(subject, _, object_):
            yield patterns.Bgp((patterns.TriplePattern(subject, Iri("urn:_"), object_),))
        case patterns.Values(_, rows):
            others = [tuple(None if term is None else Iri("urn:_") for term in row) for row in rows]
            if len(rows) > _MOST_VALUES_ROWS:
                yield replace(value, rows=tuple(others))
                return
            for place, other in enumerate(others):
                yield replace(value, rows=(*rows[:place], other, *rows[place + 1 :]))
        case patterns.Group(_, (*others, _)):
            yield replace(value, keys=tuple(others))
        case patterns.LeftJoin(left, right) | patterns.Union(left, right):
            yield patterns.Minus(left, right)
        case patterns.Minus(left, right):
            yield patterns.LeftJoin(left, right)


def _changed_lines(before: Sequence[str], after: Sequence[str]) -> set[int]:
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    kept = {block.a + place for block in blocks for place in range(block.size)}
    return {
        number
        for number, line in enumerate(before)
        if number not in kept and line.strip("{} ") and not _PROLOGUE.match(line)
    }


def _lowest(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """Return the indexes of the rules of `before` that `after` does not contain.

    A rule that differs only because it reads the result of another such rule is omitted.
    """
    left = Counter(after)
    changed: list[int] = []
    for number, rule in enumerate(before):
        if left[rule]:
            left[rule] -= 1
        else:
            changed.append(number)
    heads = {_node(before[number]) for number in changed}
    return [n for n in changed if not (heads & _read(before[n])) - {_node(before[n])}]


def _node(rule: str) -> str:
    match = _ANSWER.match(rule)
    return rule.partition("(")[0] if match is None else match[0]


def _read(rule: str) -> set[str]:
    return set(_ANSWER.findall(rule.partition("←")[2]))


_LEAF: Final = re.compile(r"s?triple\(([^()]*)\)|\[([^\[\]]+)\]")
_WINDOW: Final = re.compile(r"⊞\^")


def side_by_side(
    query: EngineQuery, translate: Translate, title: str, mode: str, engine_query: EngineQuery | None = None
) -> Json:
    """Return the lines of a query and the rules of its program, each rule with the numbers of its lines.

    If the query language cannot express a derived query, the result contains the query of the user,
    `engine_query`, without links.
    """
    rules = translate(query).rules
    try:
        text, links = write_query(query, query.language), linked_lines(query, translate)
    except LarsError:
        text, links = (
            "" if engine_query is None else write_query(engine_query, engine_query.language),
            [[] for _ in rules],
        )
    columns_json = [
        {"text": _shortened(str(rule)), "scheme": scheme(rule), "lines": lines}
        for rule, lines in zip(rules, links, strict=True)
    ]
    return {"title": title, "mode": mode, "query": text.rstrip("\n").split("\n"), "rules": columns_json}


def _shortened(rule: str) -> str:
    return re.sub(r"<[^<>]*[/#]([^<>/#]+)>", r":\1", rule)


def scheme(rule: Rule) -> str:
    """Return the name of the scheme of the translation τ1 or τ2 that produced a rule."""
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
