"""Terms from strangers: whatever they contain, they are one quoted symbol and come back unchanged."""

import clingo
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lars.errors import LarsError
from lars.language.formulas import Call
from lars.language.terms import (
    DEFAULT,
    NULL,
    RDF_LANG_STRING,
    XSD,
    Blank,
    Iri,
    Literal,
    Number,
    Symbol,
    Variable,
)
from solver.pointwise.asp_terms import asp_text, constant, symbol, symbol_of, tuples_of
from solver.rdf import conditions

HOSTILE = (
    'a". leak(1). b("',
    "\\",
    '\\"',
    'say "hi" \\n',
    "\n\r\t\x0b\x0c\x00\x01\x1f\x7f\x85\u2028",
    "#script (python)\nimport os\n#end.",
    "#script (lua) #end.",
    '#include "/etc/passwd".',
    "@f()",
    "% comment",
    "%* block",
    "*%",
    "😀",
    "\u202eright to left\u200f",
    "not",
    "?x",
    '") } DROP ALL #',
    "'; }",
    "",
)
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
IRIS = TEXTS.map(lambda text: Iri(f"x:{text}"))
LITERALS = st.one_of(
    st.builds(Literal, TEXTS),
    st.builds(Literal, TEXTS, st.sampled_from([XSD + "integer", "x:dt"])),
    st.builds(Literal, TEXTS, st.just(RDF_LANG_STRING), st.sampled_from(["en", "de-at"])),
)
NUMBERS = st.integers(-(2**31), 2**31 - 1).map(Number)
BLANKS = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_]*", fullmatch=True).map(Blank)
SYMBOLS = st.one_of(TEXTS.filter(lambda text: "\0" not in text), st.sampled_from(["a", "Ab", "symbol"]))
CONSTANTS = st.one_of(IRIS, LITERALS, NUMBERS, BLANKS, SYMBOLS.map(Symbol))
X = Variable("x")


def hostile_literals(test):
    for text in HOSTILE:
        test = example(Literal(text))(test)
    return test


@hostile_literals
@given(CONSTANTS)
def test_every_constant_comes_back_from_its_symbol(term):
    assert constant(symbol(term)) == term


@hostile_literals
@given(CONSTANTS)
def test_clingo_reads_what_is_written_as_the_same_symbol(term):
    assert "\n" not in asp_text(term)
    assert clingo.parse_term(asp_text(term)) == symbol(term)


@hostile_literals
@settings(deadline=None, max_examples=50)
@given(CONSTANTS)
def test_a_written_constant_is_one_argument_of_a_grounded_program(term):
    control = clingo.Control(message_limit=0)
    control.add("base", [], f"p({asp_text(term)}). q(X) :- p(X); X = {asp_text(term)}.")
    control.ground([("base", [])])
    atoms = sorted(str(atom.symbol) for atom in control.symbolic_atoms)
    assert atoms == [f"p({symbol(term)})", f"q({symbol(term)})"]


@given(CONSTANTS, CONSTANTS)
def test_two_constants_are_equal_exactly_when_their_symbols_are(left, right):
    assert (left == right) is (symbol(left) == symbol(right))


@hostile_literals
@given(st.one_of(IRIS, LITERALS))
def test_a_condition_sees_the_text_and_nothing_else(term):
    text = term.value if isinstance(term, Iri) else term.lexical
    for given_term in (term, str(term)):
        assert conditions.evaluate(X, {X: given_term}) == term
        assert conditions.evaluate(Call("STR", (X,)), {X: given_term}) == Literal(text)


@hostile_literals
@given(TEXTS.map(Literal))
def test_a_function_of_pyoxigraph_sees_the_text_and_nothing_else(term):
    length = Literal(str(len(term.lexical)), XSD + "integer")
    for tree, binding in ((X, {X: term}), (term, {})):
        assert conditions.evaluate(Call("STRLEN", (tree,)), binding) == length
        assert conditions.evaluate(Call("CONCAT", (tree, tree)), binding) == Literal(term.lexical * 2)
        assert conditions.test(Call("STRENDS", (tree, term)), True, binding)


def test_a_megabyte_of_text_is_a_term_like_any_other():
    term = Literal('\\"#\n😀' * 200_000)
    assert constant(symbol(term)) == term
    assert clingo.parse_term(asp_text(term)) == symbol(term)
    assert conditions.evaluate(Call("STRLEN", (X,)), {X: term}) == Literal("1000000", XSD + "integer")


@pytest.mark.parametrize("term", [Literal("a\ud800"), Iri("x:\udfff"), Symbol("\ud800"), Symbol("a\0b")])
def test_what_is_no_text_is_refused(term):
    with pytest.raises(LarsError) as caught:
        symbol(term)
    assert isinstance(caught.value, LarsError)
    str(caught.value).encode()


@pytest.mark.parametrize("function", ["STRLEN", "UCASE", "MD5", "IRI"])
def test_a_lone_surrogate_is_an_error_inside_a_condition(function):
    assert conditions.evaluate(Call(function, (X,)), {X: Literal("a\ud800")}) is None


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 10**40])
def test_a_number_outside_32_bit_is_refused(number):
    with pytest.raises(LarsError, match="32 bit"):
        symbol(Number(number))


@pytest.mark.parametrize("text", ["-a", "f(1)", "(1,2)", "()", "#inf", "#sup", "symbol(a)", '-symbol("a")'])
def test_a_symbol_that_stands_for_no_constant_is_refused(text):
    with pytest.raises(LarsError):
        constant(clingo.parse_term(text))


def test_the_constants_of_the_translation_stay_readable():
    assert [asp_text(term) for term in (NULL, DEFAULT, Number(-3))] == ["null", "default", "-3"]
    assert asp_text(Symbol("not")) == 'symbol("not")'
    assert asp_text(Blank("b0")) == '"_:b0"'


ARGUMENTS = st.one_of(
    TEXTS.map(lambda text: f'"{text}"'), TEXTS.map(lambda text: f"<x:{text}>"), NUMBERS.map(str)
)


@given(st.lists(st.lists(ARGUMENTS, max_size=3), max_size=5))
@example([[f'"{text}"', f"<x:{text}>"] for text in HOSTILE])
@example([["_:b", "wet", "'Wet'", "_x", "null", '"a"@en', '<<( <x:a> <x:b> "c" )>>']])
@example([["<x:a>"]] * 20_001)
def test_tuples_that_clingo_reads_together_are_those_of_the_symbols(rows):
    alone = [clingo.Tuple_([*map(symbol_of, row), clingo.Number(7)]) for row in rows]
    assert list(tuples_of([(*row, 7) for row in rows])) == alone
    assert list(tuples_of(rows)) == [clingo.Tuple_(list(map(symbol_of, row))) for row in rows]
