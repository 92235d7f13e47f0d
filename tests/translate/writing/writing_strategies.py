"""Random query models with every kind of node, each in a language that can say it."""

from dataclasses import replace
from typing import get_args

from hypothesis import assume
from hypothesis import strategies as st

from lars.durations import Duration
from lars.language.formulas import Aggregation, Call, OrderKey
from lars.language.terms import RDF_LANG_STRING, XSD, Iri, Literal, Variable
from translate.model.manner import fields_of
from translate.model.patterns import (
    EMPTY,
    Alternative,
    Bgp,
    Duplicates,
    Exists,
    Extend,
    Filter,
    Graph,
    Group,
    Inverse,
    Join,
    LeftJoin,
    Minus,
    Modifiers,
    NegatedSet,
    PathPattern,
    PathSequence,
    RepeatedPath,
    Repetition,
    Select,
    Service,
    StreamBlock,
    TriplePattern,
    Union,
    Values,
    variables,
)
from translate.model.query import Dataset, EngineQuery, Language
from translate.model.windows import Now, Range, Rows, Unbounded
from translate.writing.expression_text import CannotSayError, write_window

NAMES = tuple(map(Variable, ("x", "y", "z", "n", "größe")))
IRIS = tuple(
    map(Iri, ("urn:a", "http://e.org/a", "http://e.org/ns#b", "http://e.org/ns#c-1", "r", XSD + "int"))
)
SAID = tuple(language for language in Language if language.manner.texts != "")  # else streams are words
MERGERS = tuple(language for language in Language if language.manner.merged)
BLOCKS = frozenset(language for language in Language if language.manner.block)

iris = st.sampled_from(IRIS)
names = st.sampled_from(NAMES)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(lambda text: Literal(text, RDF_LANG_STRING, "en-us"), texts),
    st.builds(Literal, texts, st.sampled_from((XSD + "integer", "http://e.org/ns#type"))),
    st.builds(Literal, st.sampled_from(("0", "01", "-2", "+3")), st.just(XSD + "integer")),
    st.builds(Literal, st.sampled_from((".5", "1.50", "1.")), st.just(XSD + "decimal")),
    st.builds(Literal, st.sampled_from(("1e5", "1.E-2", ".5e+1")), st.just(XSD + "double")),
    st.builds(Literal, st.sampled_from(("true", "FALSE", "1")), st.just(XSD + "boolean")),
)
triples = st.builds(
    TriplePattern, st.one_of(names, iris), st.one_of(names, iris), st.one_of(names, iris, literals)
)
bgps = st.lists(triples, min_size=1, max_size=3).map(lambda found: Bgp(tuple(found)))
steps = st.one_of(
    iris,
    st.builds(
        NegatedSet, st.lists(iris, min_size=1, max_size=2).map(tuple), st.lists(iris, max_size=2).map(tuple)
    ),
)
longer_paths = st.recursive(
    steps,
    lambda inner: st.one_of(
        st.builds(Inverse, inner),
        st.builds(RepeatedPath, inner, st.sampled_from(get_args(Repetition))),
        st.builds(PathSequence, inner, inner),
        st.builds(Alternative, inner, inner),
    ),
    max_leaves=4,
).filter(lambda path: not isinstance(path, Iri) and not isinstance(getattr(path, "path", None), Iri))
paths = st.builds(PathPattern, st.one_of(names, iris), longer_paths, st.one_of(names, iris))


def binary(*functions):
    return lambda inner: st.builds(
        lambda how, *both: Call(how, both), st.sampled_from(functions), inner, inner
    )


def expressions(leaves=names):
    return st.recursive(
        st.one_of(leaves, leaves, iris, literals),
        lambda inner: st.one_of(
            binary("+", "-", "*", "/")(inner),
            binary("=", "!=", "<", "<=", ">", ">=", "&&", "||")(inner),
            st.builds(
                lambda how, one: Call(how, (one,)), st.sampled_from(("!", "NEG", "STR", "ISIRI")), inner
            ),
            leaves.map(lambda name: Call("BOUND", (name,))),
            st.lists(inner, min_size=1, max_size=3).map(lambda found: Call("IN", tuple(found))),
            st.lists(inner, min_size=1, max_size=3).map(lambda found: Call("COALESCE", tuple(found))),
            inner.map(lambda one: Call(f"<{XSD}double>", (one,))),
        ),
        max_leaves=5,
    )


def windows(language):
    """Windows that the language can say."""
    manner = language.manner
    if manner.ends is not None:
        whole = st.integers(1, 9999).map(lambda n: Duration(n * 10**9))
        ends, opens = st.just(manner.ends), st.just(manner.opens)
        found = st.builds(Range, whole, whole, ends=ends, opens=opens)
        return found if not manner.grid else whole.map(lambda one: Range(one, one, ends=manner.ends))
    lengths = st.sampled_from(
        [Duration(n) for n in (10**6, 15 * 10**8, 9 * 10**10, 7200 * 10**9, 864 * 10**11)]
    )
    sliding, plain = st.builds(Range, lengths, lengths), st.builds(Range, lengths)
    past = st.builds(
        lambda n, slide: Range(Duration(n.nanoseconds + 10**6), slide, n), lengths, st.none() | lengths
    )
    rows = st.builds(Rows, st.integers(1, 9))
    every = st.one_of(sliding, plain, past, rows, st.just(Now()), st.just(Unbounded()))
    return every.filter(lambda window: is_written(window, language))


def is_written(window, language):
    """Whether a language can say a window."""
    try:
        return bool(write_window(window, language))
    except CannotSayError:
        return False


@st.composite
def conditions(draw, language, depth):
    """An expression, at times with EXISTS in it, and the patterns of those."""
    condition = draw(expressions())
    if depth == 0 or draw(st.integers(0, 3)) != 0:
        return condition, ()
    test = Exists(Variable("_e0"), draw(patterns(language, depth - 1, blocks=False)))
    negated = draw(st.booleans())
    tested = Call("!", (test.variable,)) if negated else test.variable
    return draw(st.sampled_from((tested, Call("||", (condition, tested))))), (test,)


@st.composite
def levels(draw, language, depth, *, blocks=True):
    """A pattern below SELECT, V and the modifiers: at times with groups, a table at the end, expressions."""
    pattern = draw(patterns(language, depth, blocks=blocks))
    result = draw(st.lists(names, min_size=1, max_size=3, unique=True).map(tuple))
    if draw(st.booleans()):
        keys = draw(st.lists(names, max_size=2, unique=True).map(tuple))
        functions = st.sampled_from(("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"))
        aggregation = st.builds(Aggregation, functions, names.map(lambda name: (name,)), st.booleans())
        found = draw(st.lists(aggregation, min_size=1, max_size=2, unique=True))
        named = tuple((Variable(f"v{depth}{number}"), one) for number, one in enumerate(found))
        pattern, result = Group(pattern, keys, named), (*keys, *(name for name, _ in named))
        if draw(st.booleans()):
            pattern = Filter(pattern, draw(expressions(st.just(named[0][0]))))
    new = Variable(f"new{depth}")
    if draw(st.booleans()):
        pattern, result = Extend(pattern, new, draw(expressions(st.sampled_from(result)))), (*result, new)
    orders = st.builds(OrderKey, st.sampled_from(result), st.booleans())
    modifiers = Modifiers(
        draw(st.sampled_from(get_args(Duplicates))),
        tuple(draw(st.lists(orders, max_size=2))),
        draw(st.integers(0, 2)),
        draw(st.none() | st.integers(0, 3)),
    )
    return pattern, result, modifiers


@st.composite
def patterns(draw, language, depth, *, blocks=True):
    """Patterns with every kind of node; a language without blocks has none."""
    if depth == 0:
        leaf = draw(st.one_of(bgps, bgps, paths, st.just(EMPTY)))
        if blocks and language in BLOCKS and leaf != EMPTY and draw(st.booleans()):
            return StreamBlock(draw(iris), draw(windows(language)), leaf)
        return leaf
    inner = patterns(language, depth - 1, blocks=blocks)
    kinds = (Join, Join, Union, Minus, LeftJoin, Filter, Filter, Extend, Graph, Service, Values, Select)
    kind = draw(st.sampled_from(kinds))
    if kind in (Join, Union, Minus):
        return kind(draw(inner), draw(inner))
    if kind is Filter:
        return Filter(draw(inner), *draw(conditions(language, depth - 1)))
    if kind is Extend:
        below, name = draw(inner), draw(names)
        assume(name not in variables(below))
        return Extend(below, name, *draw(conditions(language, depth - 1)))
    if kind is LeftJoin:
        condition, exists = draw(st.just((None, ())) | conditions(language, depth - 1))
        return LeftJoin(draw(inner), draw(inner), condition, exists)
    if kind is Select:
        return Select(*draw(levels(language, depth - 1, blocks=blocks)))
    if kind is Values:
        assume(language is not Language.CQELS)
        columns = draw(st.lists(names, min_size=1, max_size=2, unique=True).map(tuple))
        row = st.tuples(*[st.none() | iris | literals] * len(columns))
        return Values(columns, tuple(draw(st.lists(row, max_size=2))))
    below = patterns(language, depth - 1, blocks=False)
    return kind(draw(st.one_of(names, iris)), draw(below))


@st.composite
def queries(draw, depth=2):
    language = draw(st.sampled_from(SAID))
    form = draw(st.sampled_from(language.manner.forms))
    pattern, result, modifiers = draw(levels(language, depth))
    if form != "SELECT":
        pattern, modifiers = draw(patterns(language, depth)), replace(modifiers, duplicates="")
    template = tuple(draw(st.lists(triples, max_size=2))) if form == "CONSTRUCT" else ()
    described = tuple(draw(st.lists(names | iris, min_size=1, max_size=2, unique=True)))
    merged = st.builds(StreamBlock, iris, windows(language))
    graphs = st.lists(iris, max_size=2).map(tuple)
    query = EngineQuery(
        language,
        form,
        result if form == "SELECT" else (),
        pattern,
        Dataset(draw(graphs), draw(graphs)),
        tuple(draw(st.lists(merged, max_size=2))) if language in MERGERS else (),
        modifiers=modifiers,
        template=template,
        described=described if form == "DESCRIBE" else (),
    )
    manner = language.manner
    in_header = any(fields_of(text) == {"operator"} for text in (*manner.header, manner.footer))
    if in_header or (manner.operators_at != "nowhere" and form in manner.operators_of):
        query = replace(query, to_stream=draw(st.none() | st.sampled_from([*manner.operators])))
    return query
