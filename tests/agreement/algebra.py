"""Graph patterns evaluated bottom-up as SPARQL 1.1, Section 18.5 prints it, over sets of solutions.

Neither rules nor graphs: a solution is a set of (variable, text or None), total on vars(P). It is
the judge where rdflib follows another reading, and it knows the profile `paper2015` too, in which
null is a constant and MINUS is Diff. `text_of` writes a pattern as SPARQL for rdflib.
"""

from dataclasses import dataclass, replace

from lars.language.formulas import write_expression
from lars.language.program import variables as used
from lars.language.terms import DEFAULT, NULL, Variable
from solver.facts import constant_of
from solver.rdf import evaluate, test
from tests.agreement.reference import Arrival, Timeline, Window, contents
from translate.model.patterns import (
    Bgp,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    StreamBlock,
    Union,
    variables,
)
from translate.model.query import Profile
from translate.model.windows import Now, Range, Rows, Unbounded

SECOND = 10**9


@dataclass(frozen=True)
class Data:
    """What a pattern is matched in at one time: the active graph, the named ones, the windows."""

    profile: Profile
    active: frozenset
    named: dict
    windows: dict


def data_at(case, merged, t):
    """Return the data of a drawn case at t, its windows merged into the default graph or apart."""
    static = {}
    for s, p, o, graph in case.background["triple", 4]:
        static.setdefault(graph, set()).add((s, p, o))
    named = {name: frozenset(static.get(name, ())) for (name,) in case.background["named", 1]}
    arrivals, timeline = arrivals_of(case), Timeline(case.timeline.first, case.timeline.last)
    shown = {
        (part.stream, part.window): frozenset(contents(window_of(part, case.setting), arrivals, t, timeline))
        for part in case.query.streams
    }
    default = frozenset(static.get(str(DEFAULT), ()))
    return Data(case.setting.profile, default.union(*shown.values()) if merged else default, named, shown)


def arrivals_of(case):
    return [Arrival(f.t, f.arguments[3], *f.arguments[:3]) for f in case.facts]


def window_of(part, setting):
    """Return the window of (s, ω, g) as the second implementation knows it."""
    stream, bounds = str(part.stream), setting.bounds
    match part.window:
        case Range(length, slide):
            step = 1 if slide is None else slide.nanoseconds // SECOND
            return Window(stream, length.nanoseconds // SECOND, step, bounds)
        case Rows(count):
            return Window(stream, rows=count)
        case Now():
            return Window(stream, 0)
        case Unbounded():
            return Window(stream)


def rows(query, data):
    """Return the rows of V in lexicographic order, None for unbound."""
    found = map(dict, solutions(query.pattern, data))
    return {tuple(one.get(name) for name in sorted(query.result)) for one in found}


def solutions(pattern, data):
    """Return the solutions of a pattern."""
    match pattern:
        case Bgp(triples):
            return matched(triples, data.active)
        case StreamBlock(stream, window, inner):
            return matched(inner.triples, data.windows[stream, window])
        case Filter(inner, condition):
            return {one for one in solutions(inner, data) if holds(condition, one)}
        case Extend(inner, variable, expression):
            return {one | {(variable, valued(expression, one))} for one in solutions(inner, data)}
        case Union(left, right):
            both = solutions(left, data) | solutions(right, data)
            return {padded(one, variables(pattern)) for one in both}
        case Graph():
            return in_graphs(pattern, data)
        case Join() | LeftJoin() | Minus():
            return of_two(
                pattern, solutions(pattern.left, data), solutions(pattern.right, data), data.profile
            )


def of_two(pattern, left, right, profile):
    """Return Join, LeftJoin or Minus of two sets of solutions."""
    merged = {(one, merge(one, other, profile)) for one in left for other in right}
    merged = {(one, both) for one, both in merged if both is not None}
    match pattern:
        case Join():
            return {both for _, both in merged}
        case LeftJoin(_, _, condition):
            kept = {(one, both) for one, both in merged if condition is None or holds(condition, both)}
            alone = left - {one for one, _ in kept}
            return {both for _, both in kept} | {padded(one, variables(pattern)) for one in alone}
        case Minus():
            return {one for one in left if not any(removes(one, other, profile) for other in right)}


def in_graphs(pattern, data):
    """Return the solutions of GRAPH: the name is joined to those in each graph it can be."""
    name, found = pattern.name, set()
    for graph in data.named if isinstance(name, Variable) else [str(name)]:
        binding = frozenset({(name, graph)}) if isinstance(name, Variable) else frozenset()
        for one in solutions(pattern.pattern, replace(data, active=data.named[graph])):
            found.add(merge(one, binding, data.profile))
    return found - {None}


def matched(triples, graph):
    """Return the solutions of a basic graph pattern."""
    found = [{}]
    for pattern in triples:
        grown = (extended(pattern.terms, triple, one) for one in found for triple in graph)
        found = [one for one in grown if one is not None]
    return {frozenset(one.items()) for one in found}


def extended(terms, triple, binding):
    grown = dict(binding)
    for term, text in zip(terms, triple, strict=True):
        if (grown.setdefault(term, text) if isinstance(term, Variable) else str(term)) != text:
            return None
    return grown


def merge(one, other, profile):
    """Return the union of two compatible solutions, else None."""
    left, right = dict(one), dict(other)
    for name in left.keys() & right.keys():
        unbound = None in (left[name], right[name]) and profile == "sparql11"
        if left[name] != right[name] and not unbound:
            return None
    names = left.keys() | right.keys()
    return frozenset((name, left.get(name) or right.get(name)) for name in names)


def removes(one, other, profile):
    """Whether MINUS drops the one solution because of the other."""
    left, right = dict(one), dict(other)
    shared = any(left[name] and right[name] for name in left.keys() & right.keys())
    return merge(one, other, profile) is not None and (shared or profile == "paper2015")


def padded(one, names):
    return one | {(name, None) for name in names - dict(one).keys()}


def holds(condition, one):
    return test(condition, True, binding_of(condition, one))


def valued(expression, one):
    found = evaluate(expression, binding_of(expression, one))
    return None if found is None else str(found)


def binding_of(expression, one):
    unbound = dict.fromkeys(used(expression), NULL)
    return unbound | {name: NULL if text is None else constant_of(text) for name, text in one}


def text_of(query, names):
    """Return SPARQL for rdflib; STREAM is GRAPH with the name that the window has in `names`."""
    head = f"SELECT {' '.join(f'?{v.name}' for v in query.result)}" if query.result else "ASK"
    return f"{head} {{ {group(query.pattern, names)} }}"


def group(pattern, names):
    match pattern:
        case Bgp(triples):
            return " . ".join(" ".join(term_text(term) for term in triple.terms) for triple in triples)
        case StreamBlock(stream, window, inner):
            return f"GRAPH <{names[stream, window]}> {{ {group(inner, names)} }}"
        case Join(left, right):
            return f"{{ {group(left, names)} }} {{ {group(right, names)} }}"
        case Union(left, right):
            return f"{{ {group(left, names)} }} UNION {{ {group(right, names)} }}"
        case Minus(left, right):
            return f"{{ {group(left, names)} }} MINUS {{ {group(right, names)} }}"
        case LeftJoin(left, right, condition):
            inside = group(right, names) + ("" if condition is None else filter_text(condition))
            return f"{{ {group(left, names)} }} OPTIONAL {{ {inside} }}"
        case Filter(inner, condition):
            return f"{{ {group(inner, names)} }}{filter_text(condition)}"
        case Extend(inner, variable, expression):
            value = write_expression(expression)
            return f"{{ {group(inner, names)} }} BIND ({value} AS ?{variable.name})"


def filter_text(condition):
    return f" FILTER ({write_expression(condition)})"


def term_text(term):
    return f"?{term.name}" if isinstance(term, Variable) else str(term)
