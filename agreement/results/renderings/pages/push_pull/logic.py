"""A query beside its rules: which lines of the query became which rule, and by which scheme."""

import re
from typing import Final

from agreement.documents.outputs import Json
from agreement.results.renderings.pages.push_pull.clause_links import Translate, linked_lines
from lars.errors import LarsError
from lars.language.program import Rule
from translate.model.query import EngineQuery
from translate.writing import write_query

_LEAF: Final = re.compile(r"s?triple\(([^()]*)\)|\[([^\[\]]+)\]")
_WINDOW: Final = re.compile(r"⊞\^")


def side_by_side(
    query: EngineQuery, translate: Translate, title: str, mode: str, given: EngineQuery | None = None
) -> Json:
    """Return the lines of a query and the rules of its program, each with the numbers of its lines.

    A query that its language has no words for, which can be where it is derived, is shown as the one given;
    its lines have no links then.
    """
    rules = translate(query).rules
    try:
        text, links = write_query(query, query.language), linked_lines(query, translate)
    except LarsError:
        text, links = "" if given is None else write_query(given, given.language), [[] for _ in rules]
    shown = [
        {"text": _shortened(str(rule)), "scheme": scheme(rule), "lines": lines}
        for rule, lines in zip(rules, links, strict=True)
    ]
    return {"title": title, "mode": mode, "query": text.rstrip("\n").split("\n"), "rules": shown}


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
