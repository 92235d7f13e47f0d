"""Random programs for texts: every kind of term, condition and name that a program can hold."""

from typing import get_args

from hypothesis import strategies as st

from lars.language.formulas import (
    AGGREGATES,
    Aggregation,
    Among,
    ArithmeticOperator,
    Assign,
    At,
    Box,
    Call,
    Comparison,
    Diamond,
    Gather,
    In,
    Not,
    Operation,
    OrderKey,
    Relation,
    Test,
    Truth,
)
from lars.language.program import Program, Rule, variables
from lars.language.stream import Stream, stream_of
from lars.language.terms import RDF_LANG_STRING, XSD, Atom, Blank, Iri, Literal, Number, Symbol, Variable
from lars.language.windows import (
    Bounds,
    FixedWindow,
    Interval,
    LastWindow,
    SlidingWindow,
    TimeWindow,
    TupleWindow,
)
from lars.text import read_stream
from tests.lars.strategies import T, X, Y, weighted

plain_names = st.from_regex(r"[a-z_][A-Za-z0-9_]{0,4}'?", fullmatch=True)
nasty_texts = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ("", "\x00", '"', "'", "\\", "😀", "a\nb", "#script (python)", "% no comment", "∞ ◇ <> []")
    ),
)
names = st.one_of(
    plain_names,
    plain_names,
    nasty_texts,
    st.sampled_from(("not", "true", "mod", "Foo", "inf", "not'", "_", "mod''")),
)
iris = st.one_of(
    st.sampled_from((Iri("http://ex/a"), Iri("urn:◇'x"), Iri("http://ex/a b"), Iri("urn:#x%20"))),
    st.builds(lambda text: Iri(f"urn:{text}"), nasty_texts),
)
numerals = st.sampled_from(
    (
        *((text, XSD + "integer") for text in ("5", "-5", "007", "+1", "9" * 5000)),
        *((text, XSD + "decimal") for text in ("2.50", ".5", "-0.5", "5")),
        *((text, XSD + "double") for text in ("-1.5e3", "1E0", "NaN", ".5e1")),
        *((text, XSD + "boolean") for text in ("true", "1", "TRUE")),
    )
)
rdf_literals = st.one_of(
    st.builds(Literal, nasty_texts),
    st.builds(lambda text: Literal(text, RDF_LANG_STRING, "en-gb"), nasty_texts),
    st.builds(lambda text, iri: Literal(text, iri.value), nasty_texts, iris),
    numerals.map(lambda pair: Literal(*pair)),
)
blanks = st.from_regex(r"[A-Za-z0-9_]([A-Za-z0-9_.\-]{0,3}[A-Za-z0-9_])?", fullmatch=True).map(Blank)
variable_terms = st.from_regex(r"\w{1,4}", fullmatch=True).map(Variable)
any_constants = st.one_of(
    iris, rdf_literals, blanks, st.builds(Symbol, names), st.builds(Number, st.integers(-9, 99))
)
any_terms = st.one_of(any_constants, variable_terms, st.sampled_from((X, Y)))
any_atoms = st.builds(
    lambda name, arguments: Atom(name, tuple(arguments)), names, st.lists(any_terms, max_size=3)
)

_BINARY = ("=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "&&", "||")
_FUNCTIONS = (
    *("BOUND", "REGEX", "STRLEN", "IF", "COALESCE", "<http://ex/f>", f"<{XSD}integer>", "PRECEDES"),
    *("MILLISECONDS", "NOW", "RAND", "UUID", "STRUUID", "BNODE"),
)


def _calls(inner):
    several = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(lambda f, left, right: Call(f, (left, right)), st.sampled_from(_BINARY), inner, inner),
        st.builds(lambda f, part: Call(f, (part,)), st.sampled_from(("!", "NEG")), inner),
        st.builds(lambda needle, options: Call("IN", (needle, *options)), inner, several),
        st.builds(Call, st.sampled_from(_FUNCTIONS), several),
    )


expressions = st.recursive(any_terms, _calls, max_leaves=6)
arithmetics = st.recursive(
    any_terms,
    lambda inner: st.builds(Operation, st.sampled_from(get_args(ArithmeticOperator)), inner, inner),
    max_leaves=4,
)
conditions = st.one_of(
    st.builds(Comparison, arithmetics, st.sampled_from(get_args(Relation)), arithmetics),
    st.builds(Test, expressions, st.booleans()),
    st.builds(Assign, variable_terms, expressions),
)


# Sources that are named like words of the notation, and numbers, which places are too.
sources = weighted(
    st.none(),
    any_constants,
    st.sampled_from(("by", "all", "choose", "arrival", "predicate", "closed", "now")).map(Symbol),
    st.builds(Number, st.integers(-9, 99)),
)
names_of_atoms = names | st.sampled_from(("of", "by", "desc", "among", "per", "count", "distinct"))
places = st.none() | st.lists(st.integers(1, 12), max_size=3).map(tuple)
counts = st.integers(0, 9) | st.integers(0, 10**30)
any_steps = st.just(1) | st.integers(1, 99)
time_windows = st.builds(
    TimeWindow, st.none() | counts, st.just(0) | counts, any_steps, st.sampled_from(get_args(Bounds))
) | st.builds(
    lambda length, end, step, ends: TimeWindow(length + end, -end, step, ends),
    *(counts, counts, any_steps, st.sampled_from(get_args(Bounds))),
)
active_windows = st.builds(SlidingWindow, any_steps, any_steps, st.integers(-99, 99) | st.just(10**30))
fixed_windows = st.builds(FixedWindow, counts, counts, st.booleans())
last_windows = st.builds(LastWindow, any_steps, any_steps, counts, st.sampled_from(get_args(Bounds)))
windows = (
    time_windows
    | active_windows
    | last_windows
    | fixed_windows
    | st.builds(TupleWindow, counts, sources, st.sampled_from(("arrival", "all", "elements")), places)
)
choosing = st.builds(TupleWindow, counts, sources, st.just("choose"), places)
times = st.just(T) | variable_terms | st.builds(Number, st.integers(-9, 10**30))


@st.composite
def formulas(draw):
    """Formulas with 0 to 4 operators; the outermost that is no ¬ can be a window with a choice."""
    found = draw(weighted(any_atoms, any_atoms, any_atoms, st.just(Truth())))
    depth = draw(st.integers(0, 4))
    outermost = draw(st.integers(0, depth))
    for level in range(depth):
        kind = draw(st.sampled_from((Not, Diamond, Box, At, In, In)))
        if level >= outermost > 0:
            kind = Not
        if kind is At:
            found = At(draw(times), found)
        elif kind is In:
            found = In(draw(choosing | windows if level == outermost - 1 else windows), found)
        else:
            found = kind(found)
    return found


# Names that are words of aggregates and orders, in capitals and not.
gathered_names = st.sampled_from(
    ("DISTINCT", "COUNT", "by", "desc", "of", "among", "per", "Per", "Éa", "x")
).map(Variable)


@st.composite
def gathered(draw):
    """Aggregates and orders of atoms with any names, each safe by itself."""
    names = draw(st.lists(variable_terms | gathered_names, min_size=1, max_size=3, unique=True))
    others = draw(st.lists(any_constants, max_size=2))
    atom = Atom(draw(names_of_atoms), tuple(draw(st.permutations((*names, *others)))))
    some = st.lists(st.sampled_from(names), max_size=3, unique=True).map(tuple)
    if draw(st.booleans()):
        order = tuple(OrderKey(name, draw(st.booleans())) for name in draw(some))
        return Among(atom, order, draw(counts), draw(st.none() | counts), draw(some))
    function = draw(st.sampled_from(AGGREGATES))
    arguments = draw(some) if function == "COUNT" else (draw(st.sampled_from(names)),)
    separator = draw(st.just(" ") | nasty_texts) if function == "GROUP_CONCAT" else " "
    how = Aggregation(function, arguments, draw(st.booleans()), separator)
    return Gather(Variable(draw(st.sampled_from(("n1234", "N1234")))), how, atom, draw(some))


def local(literal):
    """Return the variables that a rule may not have outside of an aggregate."""
    return variables(literal.atom) - {*literal.keys} if isinstance(literal, Gather) else frozenset()


@st.composite
def written_rules(draw):
    """Safe rules with any names, terms, windows and conditions: one atom binds every variable."""
    body = tuple(draw(st.lists(st.one_of(formulas(), conditions), min_size=1, max_size=3)))
    head = draw(st.one_of(st.none(), any_atoms, st.builds(At, times, any_atoms)))
    used = frozenset().union(*map(variables, body), variables(head))
    for literal in draw(st.lists(gathered(), max_size=2)):
        own = variables(literal)
        if not local(literal) & used and not own & frozenset().union(*map(local, body)):
            body, used = (*body, literal), used | own
    return Rule(head, (*draw(st.permutations(body)), Atom("all", tuple(sorted(used)))))


def written_programs():
    fact = st.builds(
        lambda name, args: Rule(Atom(name, tuple(args))), names, st.lists(any_constants, max_size=2)
    )
    return st.lists(st.one_of(written_rules(), fact), max_size=3).map(lambda found: Program(tuple(found)))


def read_data_stream(text):
    """Return the data stream of a text, on a timeline from 0 to its last time."""
    lines = [line.split(":")[0] for line in text.splitlines() if line[:1].isdigit()]
    return stream_of(Interval(0, int(lines[-1])), read_stream(text))


def write_stream(stream):
    """Return the text of a data stream, or of arrivals, each time point in the order of arrival."""
    found = {}
    if isinstance(stream, Stream):
        found = {t: list(atoms) for t, atoms in stream.input.items()}
        found.setdefault(stream.timeline.last, [])
    else:
        for t, atom in stream:
            found.setdefault(t, []).append(atom)
    lines = ((t, " ".join(map(str, found[t]))) for t in sorted(found))
    return "".join(f"{t}: {shown}.\n" if shown else f"{t}:\n" for t, shown in lines)
