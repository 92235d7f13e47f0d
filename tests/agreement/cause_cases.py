"""Random comparisons for the causes: the texts for the program, the syntax trees for the second evaluation.

A pattern is a tuple: ("block", source, triples, cautious) with the number of its window or None for
static data, or an operator with its two parts. Both sides' windows are the same or drawn apart.
"""

import random
from dataclasses import dataclass, replace
from typing import get_args

from lars.language.windows import Bounds
from tests.agreement.reference import Arrival, Window
from tests.sparql import syntax
from translate.model.query import Trigger

E = "http://example.org/"
LAST = 9
SAME = 20
INTEGER = syntax.XSD + "integer"


@dataclass(frozen=True)
class Shape:
    """What a query makes of its solutions; an aggregate is its function and argument, None for COUNT(*).

    `keys` None: it has no GROUP BY. `order` are a name and whether it descends.
    """

    shown: tuple = ("x",)
    aggregates: tuple = ()
    keys: tuple | None = None
    having: tuple | None = None
    distinct: bool = False
    order: tuple | None = None
    limit: int | None = None

    @property
    def names(self):
        return tuple(sorted((*self.shown, *(f"n{place}" for place in range(len(self.aggregates))))))


@dataclass(frozen=True)
class Case:
    """What is compared: one pattern, windows of both sides, input, static data.

    `alone` are static data that push alone has, and those that pull alone has. `pushed` is push's pattern
    if its query is another one.
    """

    pattern: tuple
    select: Shape
    push: tuple[Window, ...]
    pull: tuple[Window, ...]
    bounds: Bounds
    arrivals: tuple[Arrival, ...]
    static: frozenset
    trigger: Trigger
    period: int
    alone: tuple[frozenset, frozenset] = (frozenset(), frozenset())
    pushed: tuple | None = None

    @property
    def patterns(self):
        """The patterns of push and of pull."""
        return self.pattern if self.pushed is None else self.pushed, self.pattern


def case_with_own_static_data(seed):
    """Return the comparison of a seed in which each side has static data of its own, like its input."""
    one, draw = case(seed), random.Random(f"static {seed}")
    triples = sorted({*one.static, *(tuple(arrival[2:]) for arrival in one.arrivals)})
    alone = tuple(frozenset(draw.sample(triples, min(len(triples), draw.randrange(4)))) for _ in range(2))
    return replace(one, alone=alone)


def case_with_another_query(seed):
    """Return the comparison of a seed in which push has another pattern: of another predicate or stream."""
    one, draw = case(seed), random.Random(f"query {seed // SAME}")
    sources = [*range(len(one.push)), None] if not one.select.aggregates else [None]

    def changed(found):
        operator, *parts = found
        if operator != "block":
            return (operator, *map(changed, parts))
        source, ((s, p, o), *more), cautious = parts
        if draw.random() < 0.3 and source is not None:
            source = draw.choice([source, source, *sources])
        return (operator, source, ((s, draw.choice((p, p, "q")), o), *more), cautious)

    pushed = changed(one.pattern)
    read = {source for _, source, _, _ in blocks(pushed)}
    # No CQELS query; or one stream through two windows, of which push reads one.
    if read == {None} or (len({window.stream for window in one.push}) < len(one.push) and not {0, 1} <= read):
        return one
    return replace(one, pushed=pushed)


def case_with_several_windows(seed):
    """Return the comparison of a seed on one stream, which each side reads through windows of its own."""
    one, draw = case(seed), random.Random(f"several {seed // SAME}")
    push = tuple(window(draw, "r", one.bounds, one.select) for _ in one.push)
    pull = tuple(replace(each, stream=E + "r") for each in one.pull)
    arrivals = tuple(each._replace(stream=E + "r") for each in one.arrivals)
    return replace(one, push=push, pull=pull, arrivals=arrivals)


def case_with_windows_ahead(seed):
    """Return the comparison of a seed in which both sides have the same windows, and some look ahead."""
    one, draw = case(seed), random.Random(f"ahead {seed}")
    windows = tuple(
        replace(window, ahead=draw.choice((0, 1, 2, 4))) if window.rows is None and window.past else window
        for window in one.pull
    )
    alike = len({window.stream for window in windows}) < len(windows)
    return one if alike else replace(one, push=windows, pull=windows)


def case_with_slides(seed):
    """Return the comparison of a seed that counts in groups, with the same slide on both sides."""
    draw = random.Random(f"slides {seed}")
    bounds = draw.choice(get_args(Bounds))
    windows = (Window(E + "r", draw.randint(1, 8), draw.randint(2, 5), bounds),)
    select = Shape(("x",), tuple(aggregate(draw) for _ in range(draw.randint(1, 2))), ("x",))
    arrivals, static, trigger, period = given(draw, "r", True, select)
    one = ("block", 0, (("?x", "p", "?y"),), False)
    return Case(one, select, windows, windows, bounds, arrivals, static, trigger, period)


def case(seed):
    """Return the random comparison of a seed; in most each predicate has a stream of its own.

    Reading queries is what takes most of the time: so some seeds in a row have the same ones.
    """
    rng = random.Random(seed // SAME)
    bounds = rng.choices(list(get_args(Bounds)), (3, 1, 2, 1))[0]
    select = shape(rng) if rng.random() < 0.4 else Shape(rng.choice((("x",), ("x", "y"))))
    streams = rng.choice(("r", "rc", "rc", "rcd", "rr"))
    exclusive = rng.random() < (0.95 if select.aggregates else 0.7)
    windows = tuple(window(rng, stream, bounds, select) for stream in streams)
    apart = rng.random() < 0.15 and streams != "rr"
    cautious = not select.aggregates and rng.random() < 0.2
    # In fewer operators more rows have the same group on both sides.
    operators = (0, 0, 0, 1, 1, 2) if select.aggregates else (1, 1, 1, 2, 2, 3)
    found = pattern(rng, len(streams), rng.choice(operators), exclusive=exclusive, cautious=cautious)
    if select.aggregates:
        found = counted(found)
    if all(source is None for _, source, _, _ in blocks(found)):
        # Without STREAM it would be no CQELS query.
        found = ("join", found, ("block", 0, (("?x", "p", "?y"),), False))
    if streams == "rr" and not {source for _, source, _, _ in blocks(found)} >= {0, 1}:
        windows = (windows[0], windows[0])
    push = tuple(window(rng, stream, bounds, select) for stream in streams) if apart else windows
    return Case(found, select, push, windows, bounds, *given(random.Random(seed), streams, exclusive, select))


def positive_case(seed):
    """Return the comparison of a seed with joins and unions only, whose rows more input never removes.

    In half of them push reads pull's windows without their slides, as CQELS does: one of each stream.
    """

    def positive(found):
        operator, *parts = found
        if operator == "block":
            return found
        return ("union" if operator == "union" else "join", *map(positive, parts))

    one = case(SAME * seed)
    select = Shape(("x",)) if one.select.aggregates else replace(one.select, order=None, limit=None)
    changed = replace(one, pattern=positive(one.pattern), select=select)
    if seed % 2 or len({window.stream for window in one.pull}) < len(one.pull):
        return changed
    slides = [window.step for window in one.pull if window.rows is None]
    push = tuple(replace(window, step=1) for window in one.pull)
    return replace(changed, push=push, period=max([1, *slides]))


def shape(rng):
    """Return aggregates, with GROUP BY and HAVING or without, or rows; then DISTINCT, ORDER BY and LIMIT."""
    if rng.random() < 0.2:
        found = Shape(rng.choice((("x",), ("x", "y"))))
    else:
        keys = rng.choice((None, ("x",), ("x",), ("x",), ("y",), ("x", "y")))
        shown = tuple(key for key in keys or () if rng.random() < 0.75)
        aggregates = tuple(aggregate(rng) for _ in range(rng.choice((1, 1, 2))))
        having = (aggregate(rng), rng.choice((">", "<", "=", ">=")), rng.randint(0, 3))
        found = Shape(shown, aggregates, keys, having if rng.random() < 0.3 else None)
    order = (rng.choice(found.names), rng.random() < 0.5) if rng.random() < 0.6 else None
    if rng.random() < 0.4:
        found = replace(found, order=order, limit=rng.randint(1, 2))
    return replace(found, distinct=rng.random() < 0.2)


def aggregate(rng):
    function = rng.choice(("COUNT", "COUNT", "SUM", "AVG", "AVG", "MIN", "MAX"))
    return function, rng.choice("xyyz" if function == "COUNT" else "yyyx"), rng.random() < 0.2


def counted(found):
    """Return a pattern without the cautious form, which counts a match of both sides once."""
    operator, *parts = found
    if operator == "block":
        return found
    left, right = map(counted, parts)
    sources = {one[1] is None for one in (left, right) if one[0] == "block"}
    alike = operator == "union" and sources == {True, False} and left[2] == right[2]
    return ("optional" if alike else operator, left, right)


def given(rng, streams, exclusive, select):
    """Return arrivals, static data, trigger and period."""
    often, drawn = (rng.randint(6, 18), COUNTED) if select.aggregates else (rng.randint(2, 12), DRAWN)
    arrivals = (arrival(rng, streams, exclusive, drawn) for _ in range(often))
    static = frozenset(
        triple(rng, DRAWN) for _ in range(rng.choice((0, 0, 0, 1, 2) if exclusive else (0, 1, 2)))
    )
    trigger = rng.choices(list(get_args(Trigger)), (6, 1, 1))[0]
    return tuple(sorted(arrivals, key=lambda one: one.t)), static, trigger, rng.randint(1, 5)


def window(rng, stream, bounds, select):
    often = (2, 8, 2, 0) if select.aggregates else (6, 3, 1, 1)
    kind = rng.choices(("slide", "range", "rows", "now"), often)[0]
    if kind == "rows":
        return Window(E + stream, rows=rng.randint(1, 5 if select.aggregates else 2))
    if kind == "now":
        return Window(E + stream, 0)
    step = rng.randint(2, 5) if kind == "slide" else 1
    return Window(E + stream, rng.randint(1, 10), step, bounds)


def arrival(rng, streams, exclusive, drawn):
    s, p, o = triple(rng, drawn)
    own = streams[source_of(p, len(streams))] if exclusive else rng.choice(streams)
    return Arrival(rng.randint(0, LAST), E + (own if rng.random() < 0.9 else "n"), s, p, o)


def source_of(predicate, sources):
    """Return the number of the window in which a predicate is matched, where each has its own."""
    return min("pqz".index(predicate), sources - 1)


DRAWN, COUNTED = ("ppqqz", "ab12"), ("ppppqz", "123")
"""Predicates and objects; what is counted are numbers."""


def triple(rng, drawn):
    predicates, objects = drawn
    return rng.choice("ab"), rng.choice(predicates), rng.choice(objects)


def pattern(rng, sources, operators, *, exclusive, cautious):
    """Return ?x :p ?y with so many operators on it; each other part shares ?x with it."""

    def block(number):
        name = f"?{'yz'[number > 0]}{number or ''}"
        first = ("?x", "p" if number == 0 else rng.choice("qqpz"), name)
        more = (("?x", rng.choice("pqz"), f"?v{number}"),) if rng.random() < 0.1 else ()
        own = rng.choice([*range(sources), *range(sources), None])
        if exclusive and (number == 0 or rng.random() < 0.9):
            own = source_of(first[1], sources)
        return ("block", own, (first, *more), cautious)

    found = block(0)
    for number in range(operators):
        operator = rng.choice(("minus", "minus", "minus", "optional", "join", "exists", "union", "none"))
        right = block(0) if operator == "union" else block(2 * number + 1)
        # In EXISTS a MINUS would see ?x replaced: it shares nothing then (SPARQL 1.1, 18.6).
        if operator in ("minus", "optional") and rng.random() < 0.3:
            right = ("minus", right, block(2 * number + 2))
        if operator != "none":
            found = (operator, found, right)
    return found


def blocks(found):
    """Return the blocks of a pattern."""
    return [found] if found[0] == "block" else [one for part in found[1:] for one in blocks(part)]


def text(one, *, merged):
    """Return the query as C-SPARQL (`merged`) or CQELS."""
    windows = one.pull if merged else one.push
    told = [written(window, merged=merged) for window in windows]
    froms = "".join(f"FROM STREAM <{w.stream}> {said} " for w, said in zip(windows, told, strict=True))
    body = group(one.patterns[merged], None if merged else list(zip(windows, told, strict=True)))
    shape, shown = one.select, [f"?{name}" for name in one.select.shown]
    shown += [f"({called(a)} AS ?n{place})" for place, a in enumerate(shape.aggregates)]
    head = f"SELECT {'DISTINCT ' * shape.distinct}{' '.join(shown)} {froms if merged else ''}"
    return f"PREFIX : <{E}> {head}WHERE {{ {body} }}{modifiers(shape)}"


def modifiers(shape):
    keys = "".join(f" ?{key}" for key in shape.keys or ())
    found = f" GROUP BY{keys}" if keys else ""
    if shape.having:
        asked, relation, number = shape.having
        found += f" HAVING ({called(asked)} {relation} {number})"
    if shape.order:
        name, descends = shape.order
        found += f" ORDER BY {'DESC' if descends else 'ASC'}(?{name})"
    return found if shape.limit is None else f"{found} LIMIT {shape.limit}"


def called(one):
    function, argument, distinct = one
    return f"{function}({'DISTINCT ' * distinct}?{argument})"


def written(window, *, merged):
    if window.rows is not None:
        return f"[RANGE TRIPLES {window.rows}]" if merged else f"[ROWS {window.rows}]"
    if window.past == 0:
        return "[NOW]"
    slide = f" {'STEP' if merged else 'SLIDE'} {window.step}s" if window.step > 1 else ""
    return f"[RANGE {window.past}s{slide}]"


def group(found, windows):
    """Return a pattern as text; without windows its blocks are plain."""
    if found[0] == "block":
        _, source, triples, cautious = found
        plain = " . ".join(f"{s} :{p} {o}" for s, p, o in triples)
        if source is None or windows is None:
            return plain
        window, shown = windows[source]
        block = f"STREAM <{window.stream}> {shown} {{ {plain} }}"
        return f"{{ {block} }} UNION {{ {plain} }}" if cautious else block
    left, right = (f"{{ {group(part, windows)} }}" for part in found[1:])
    word = {"join": "", "exists": "FILTER NOT EXISTS"}.get(found[0], found[0].upper())
    return f"{left} {word} {right}"


def tree(one, pattern, *, merged, empty_group):
    """Return the syntax tree of the query with a pattern, without ORDER BY and LIMIT.

    Without `empty_group` an aggregate of nothing has no row.
    """
    where, shape = syntax.Group((as_group(pattern, merged),)), one.select
    items = tuple(syntax.Item(syntax.Var(name)) for name in shape.shown)
    items += tuple(
        syntax.Item(syntax.Var(f"n{place}"), tree_of(one)) for place, one in enumerate(shape.aggregates)
    )
    having = ()
    if shape.having:
        asked, relation, number = shape.having
        having += (syntax.Op(relation, (tree_of(asked), syntax.Literal(str(number), INTEGER))),)
    if shape.aggregates and shape.keys is None and not empty_group:
        having += (syntax.Op(">", (syntax.Aggregate("COUNT", None), syntax.Literal("0", INTEGER))),)
    keys = tuple(syntax.Item(syntax.Var(key)) for key in shape.keys or ())
    return syntax.Query("SELECT", syntax.Select(where, items, keys=keys, having=having))


def tree_of(one):
    function, argument, distinct = one
    return syntax.Aggregate(function, syntax.Var(argument), distinct)


def groups_tree(one, pattern, *, merged):
    """Return the syntax tree of the solutions that the query groups: their keys alone."""
    where = syntax.Group((as_group(pattern, merged),))
    keys = tuple(syntax.Item(syntax.Var(key)) for key in one.select.keys or ("x",))
    return syntax.Query("SELECT", syntax.Select(where, keys))


def as_group(found, merged):
    """Return a pattern as syntax; a window is a named graph where windows are kept apart."""
    if found[0] == "block":
        _, source, triples, cautious = found
        plain = syntax.Group((syntax.Triples(tuple(step(one) for one in triples)),))
        if source is None or merged:
            return plain
        block = syntax.Group((syntax.InGraph(syntax.Iri(str(source)), plain),))
        return syntax.Group((syntax.Union((block, plain)),)) if cautious else block
    left, right = (as_group(part, merged) for part in found[1:])
    match found[0]:
        case "join":
            return syntax.Group((left, right))
        case "union":
            return syntax.Group((syntax.Union((left, right)),))
        case "optional":
            return syntax.Group((left, syntax.Optional(right)))
        case "minus":
            return syntax.Group((left, syntax.Minus(right)))
        case "exists":
            return syntax.Group((left, syntax.Filter(syntax.Exists(right, negated=True))))


def step(triple_pattern):
    s, p, o = triple_pattern
    return syntax.Step(syntax.Var(s[1:]), syntax.Iri(E + p), syntax.Var(o[1:]))


def term(name):
    """Return a node of the data."""
    return syntax.Literal(name, INTEGER) if name.isdigit() else syntax.Iri(E + name)
