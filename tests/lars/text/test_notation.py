"""Programs as text: what is written is read back, both forms, and errors have a place."""

import pytest
from hypothesis import given

from lars.errors import PlacedError
from lars.language.formulas import Assign, At, Box, Call, Diamond, In, Not, Truth
from lars.language.formulas import Test as Condition
from lars.language.program import Program, Rule
from lars.language.terms import XSD, Atom, Blank, Iri, Literal, Number, Symbol, Variable
from lars.language.windows import (
    FixedWindow,
    LastWindow,
    SlidingWindow,
    TimeWindow,
    TupleWindow,
)
from lars.text.notation import read, write
from tests.lars.written import written_programs

X, P, T = Variable("X"), Variable("P"), Variable("T")
BUSY = Rule(
    Atom("ans", (X,)),
    (
        In(TimeWindow(30), Diamond(Atom("offer", (X, P)))),
        Not(In(TimeWindow(5), Box(Atom("busy", (X,))))),
    ),
)


def body(text):
    (rule,) = read(f"h ← {text}.").rules
    return rule.body


@given(written_programs())
def test_reading_what_was_written_gives_the_program(program):
    assert read(write(program)) == program


@given(written_programs())
def test_the_ascii_form_is_ascii_and_gives_the_program_too(program):
    text = write(program, ascii=True)
    assert text.isascii()
    assert read(text) == program


@pytest.mark.parametrize(
    "text", ["p(1{}).", "p ← ⊞^1{} ◇ q.", "p ← ⊞^#1{} ◇ q.", "p ← ⊞^{{1{0},-1{0},1}} ◇ q."]
)
def test_numbers_and_windows_may_have_hundreds_of_digits(text):
    shown = text.format("0" * 300)
    assert str(read(shown)) == shown


def test_the_papers_notation_is_read():
    assert read("ans(X) ← ⊞^30 ◇ offer(X,P), not ⊞^5 □ busy(X).") == Program((BUSY,))


def test_the_ascii_form_looks_like_this():
    text = "ans(X) :- [+]^30 <> offer(X, P), not [+]^5 [] busy(X)."
    assert write(Program((BUSY,)), ascii=True) == text
    assert read(text) == Program((BUSY,))


def test_both_forms_mix():
    assert read("ans(X) <- [+]^{30} ◇ offer(X,P), ¬ ⊞^5 [] busy(X).") == Program((BUSY,))


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("⊞^30", TimeWindow(30)),
        ("⊞^{30,0,5}", TimeWindow(30, 0, 5)),
        ("⊞^{30 low-open}", TimeWindow(30, ends="low-open")),
        ("[+]^{30,0,5 high-open}", TimeWindow(30, 0, 5, "high-open")),
        ("⊞^∞", TimeWindow(None)),
        ("[+]^inf", TimeWindow(None)),
        ("⊞^{∞,2,3}", TimeWindow(None, 2, 3)),
        ("⊞^{10,-5,1}", TimeWindow(10, -5)),
        ("[+]^{10,-10,2 low-open}", TimeWindow(10, -10, 2, "low-open")),
        ("⊞^{∞,-2,3}", TimeWindow(None, -2, 3)),
        ("⊞^{sliding 5,2,1}", SlidingWindow(5, 2, 1)),
        ("[+]^{ sliding 10 , 3 , -4 }", SlidingWindow(10, 3, -4)),
        ("⊞^{from 5 to 9}", FixedWindow(5, 9)),
        ("⊞^{from 5 to 9 causal}", FixedWindow(5, 9, causal=True)),
        ("⊞^{last 5,2,1}", LastWindow(5, 2, 1)),
        ("[+]^{ last 10 , 3 , 0 low-open }", LastWindow(10, 3, 0, "low-open")),
        ("⊞^#5", TupleWindow(5)),
        ("⊞^{#5 <http://ex/s>}", TupleWindow(5, Iri("http://ex/s"))),
        ("⊞^{#5 by 1,2 <urn:s> choose}", TupleWindow(5, Iri("urn:s"), "choose", (1, 2))),
        ("⊞^{#5 by predicate}", TupleWindow(5, by=())),
        ("⊞^{#5 by 2 7 all}", TupleWindow(5, Number(7), "all", (2,))),
        ("⊞^{#5 'all' arrival}", TupleWindow(5, Symbol("all"))),
        ("⊞30", TimeWindow(30)),
        ("⊞ ^ { 30 }", TimeWindow(30)),
        ("⊞^now", TimeWindow(0)),
    ],
)
def test_every_window_is_read(text, window):
    assert body(f"{text} ◇ a") == (In(window, Diamond(Atom("a"))),)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("@_{T} a :- [+]^10 @_T b.", "@_T a ← ⊞^10 @_T b."),
        ("@T a :- @{T} b, @3 c.", "@_T a ← @_T b, @_3 c."),
        ("p() :- ⊞^30◇a(),q ,X==3.", "p ← ⊞^30 ◇ a, q, X = 3."),
        (":-p,q.", "← p, q."),
        ("p :- not not a, ¬~a.", "p ← not not a, not not a."),
        ("@_T2 a :- [+]^10 @_T b, T2 = T + 1.", "@_T2 a ← ⊞^10 @_T b, T2 = T + 1."),
        ("@prefix not: <urn:> . p :- not:a = X, not q.", "p ← <urn:a> = X, not q."),
        ("@prefix all: <urn:> . p :- ⊞^{#5 all:a all} q.", "p ← ⊞^{#5 <urn:a> all} q."),
    ],
)
def test_variants_that_users_write_are_read(text, same):
    assert str(read(text)) == same


@pytest.mark.parametrize(
    "text",
    [
        "?n := COUNT(DISTINCT ?x) of p(?s, ?x) by ?s, ?t := MAX(?x) of p(?s, ?x) by ?s, q(?s)",
        "N := COUNT(*) of p(X), M := COUNT(DISTINCT *) of p, M = N",
        '?t := GROUP_CONCAT(?x; ", ") of p(?x, <urn:a>), N := GROUP_CONCAT(DISTINCT ?x; "") of p(?x)',
        "p(?x, ?y) among 1..10 by desc ?x, ?y, q",
        "p(?x) among 3.., p(Y) among 3..2 by Y, desc, Y = ?x, desc(Y)",
        "p(?x, ?g) among 1..3 by desc ?x per ?g, q",
        "p(X, Y) among 2..3 by X, desc Y per Y, X, X = Y, p(X, Y) among 4.. per X, per, per(Y)",
        "N := COUNT(DISTINCT) of p(DISTINCT), M := COUNT(DISTINCT DISTINCT, X) of p(DISTINCT, X)",
    ],
)
def test_aggregates_and_orders_are_read_as_they_are_written(text):
    assert str(read(f"h ← {text}.")) == f"h ← {text}."


def test_aggregates_can_be_written_freely():
    text = "h :- N:=count ( distinct X ) of p( X,Y )by Y , p(Z) among 2 .. 3 by Z  per Z."
    assert str(read(text)) == "h ← N := COUNT(DISTINCT X) of p(X, Y) by Y, p(Z) among 2..3 by Z per Z."


@pytest.mark.parametrize(
    "condition",
    [
        "¬[PRECEDES(?x, ?y) && !(PRECEDES(null, 3))]",
        '?z := [NOW(?t, "2020-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>, 1000)]',
        "?z := [MILLISECONDS(#3, 1000) + RAND(1)]",
        '[BNODE("a", 2, ?x, null, ?y) = BNODE(null, 3)]',
        "?z := [COALESCE(UUID(4), STRUUID(5, ?x), RAND(6, ?x, ?y))]",
    ],
)
def test_calls_that_a_translation_adds_to_are_read_as_they_are_written(condition):
    text = f"h ← p(?t, ?x, ?y), {condition}."
    assert str(read(text)) == text


def test_an_aggregate_stands_in_no_expression():
    with pytest.raises(PlacedError, match=r"found “SUM”, expected .* the \] that ends a condition"):
        read("h ← p(X), [AGGREGATE SUM(X) > 3].")


def test_rules_and_literals_know_their_places():
    text = "p.\n@prefix e: <urn:> .\n q(X) :- r(X), % why\n\n  not\n s(X)."
    first, second = read(text, "a").rules
    assert (str(first.origin.place()), first.origin.literals) == ("a:1:1", ())
    assert [*map(str, map(second.origin.place, (None, 0, 1)))] == ["a:3:2", "a:3:10", "a:5:3"]
    assert second == read(str(second)).rules[0]


def test_pull_triggers_are_read():
    (rule,) = read("trigger ← ⊞^0 @_T true, T mod 5 = 0.").rules
    assert rule.body[0] == In(TimeWindow(0), At(T, Truth()))
    assert str(rule.body[1]) == "T mod 5 = 0"


def test_conditions_are_read():
    bound, assign = body("¬[BOUND(?x)], ?y := [?x + 2.5], p(?x)")[:2]
    x, half = Variable("x"), Literal("2.5", XSD + "decimal")
    assert bound == Condition(Call("BOUND", (x,)), value=False)
    assert assign == Assign(Variable("y"), Call("+", (x, half)))


@pytest.mark.parametrize(
    ("text", "kind"),
    [(".5e3", "double"), ("1.e3", "double"), ("+5", "integer"), ("+.5", "decimal"), ("+1E-2", "double")],
)
def test_numbers_of_conditions_are_written_as_in_sparql(text, kind):
    test, _ = body(f"[?x = {text}], p(?x)")
    assert test == Condition(Call("=", (Variable("x"), Literal(text, XSD + kind))))
    assert body(f"{test}, p(?x)")[0] == test


def test_a_sign_after_an_operand_is_an_operator():
    one, two = (Literal(text, XSD + "integer") for text in "12")
    assert body("[?x +1-2 = 1], p(?x)")[0].expression.arguments[0] == Call(
        "-", (Call("+", (Variable("x"), one)), two)
    )


def test_sparql_precedence_needs_no_brackets():
    (test, _) = body("[?a = 1 || ?b < 2 && !(?c) + 3 * -?d NOT IN (4)], p(?a, ?b, ?c, ?d)")
    assert str(test) == "[(?a = 1) || ((?b < 2) && !((!(?c) + (3 * -(?d))) IN (4)))]"


def test_a_number_of_the_logic_is_no_literal_in_a_condition():
    assert body("[#5 = 5]") == (Condition(Call("=", (Number(5), Literal("5", XSD + "integer")))),)


def test_a_program_whose_lines_end_with_cr_alone_is_the_same_program():
    text = "% a comment\np(X) :- q(X).\n% another\nr(X) :- p(X).\n"
    assert read(text.replace("\n", "\r"), "p.lars") == read(text, "p.lars")
    with pytest.raises(PlacedError) as caught:
        read("% a comment\rp(X) :- q(X).\rr(X) :- ).", "p.lars")
    assert "p.lars:3:9: " in str(caught.value)
    assert "\n  r(X) :- )." in str(caught.value)


def test_prefixes_and_comments_are_read():
    program = read("@prefix ex: <http://ex/> . % a comment, with a dot.\np(ex:a, ex:b.c).% end")
    assert program.rules == (Rule(Atom("p", (Iri("http://ex/a"), Iri("http://ex/b.c")))),)


@pytest.mark.parametrize("text", ["\x00", '"', "'", "\\", "😀", "#script (python)", "x" * 10**6, "a.\nb ← c"])
def test_literals_pass_through_unharmed(text):
    program = Program((Rule(Atom("p", (Literal(text), Symbol(text), Iri("urn:" + text)))),))
    assert read(write(program)) == program
    assert read(write(program, ascii=True)) == program


@pytest.mark.parametrize("name", ["e\u0301", "a·b", "z\u200dz", "हिन्दी", "a‿b", "℀"])
def test_names_have_all_letters_of_sparql(name):
    row = (Variable(name), Blank(name))
    program = Program((Rule(Atom("p", row), (Atom("q", row),)),))
    assert read(write(program)) == program
    assert read(write(program, ascii=True)) == program


def test_the_shapes_of_names_decide_what_they_are():
    (rule,) = read("p(Shop, ?shop, shop, 'Shop', 7, -7, _:b1, \"s\"@EN) ← q(Shop, ?shop).").rules
    kinds = [type(term).__name__ for term in rule.head.arguments]
    assert kinds == ["Variable", "Variable", "Symbol", "Symbol", "Number", "Number", "Blank", "Literal"]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("p ← q", "p.lars:1:6", ["the end of the text", "the . that ends a rule"]),
        ("p.\nq ← ⊞^{5,0} ◇ r.", "p.lars:2:11", ["“}”", "the window's step"]),
        ("p ← ⊞^{5,0,0} ◇ r.", "p.lars:1:12", ["“0”", "at least 1"]),
        ("p ← ⊞^x ◇ r.", "p.lars:1:7", ["“x”", "30, ∞ (inf), now, #5"]),
        ("p ← not [?x].", "p.lars:1:9", ["¬[…]"]),
        ("p ← q(,).", "p.lars:1:7", ["“,”", "a term"]),
        ("p ← q(<<( 5 <e:p> 1 )>>).", "p.lars:1:11", ["“5”", "whose subject"]),
        ("p ← q(<<( <e:s> <e:p> abc )>>).", "p.lars:1:23", ["“abc”", "whose object"]),
        ("p ← q(ex:a).", "p.lars:1:7", ["prefix ex: is not declared"]),
        ('p("\\q").', "p.lars:1:4", ["\\q is not an escape"]),
        ("p ← [?x +].", "p.lars:1:10", ["“]”", "an expression"]),
        ("q.\n p(X) ← not q(X).", "p.lars:2:2", ["unsafe rule: no positive body literal binds X"]),
        ("@_3 p.", "p.lars:1:1", ["a fact holds at every time point"]),
        ('p("abc', "p.lars:1:3", ["not closed"]),
        ("→", "p.lars:1:1", ["“→”", "a rule"]),
        ("p(X+1) ← q(X).", "p.lars:1:4", ["“+”", "as in p(Y), Y = X + 1"]),
        ("p(f(X)) ← q(X).", "p.lars:1:4", ["“(”", "no arguments of its own"]),
        ("p, q :- r.", "p.lars:1:2", ["“,”", "a head is one atom"]),
        ("p :- q\nr :- s.", "p.lars:2:1", ["“r”", "the . that ends a rule"]),
        ("p :- Near(X).", "p.lars:1:6", ["“Near”", "lower-case letter", "'Near'(X)"]),
        ("Near(X) :- q(X).", "p.lars:1:1", ["“Near”", "lower-case letter"]),
        ("p :- <urn:q>(X).", "p.lars:1:6", ["lower-case letter, or is in quotes"]),
        ("p :- q(X), X > 3.5.", "p.lars:1:16", ["“3.5”", "an integer", "[?x > 3.5]"]),
        ("p :- X = 1..5.", "p.lars:1:10", ["“1..5”", "a range is X >= 3, X <= 5"]),
        ("p :- X = 1..n.", "p.lars:1:10", ["“1..”", "a range is X >= 3, X <= 5"]),
        ("#show p/1.", "p.lars:1:1", ["“#”", "use --show"]),
        (":~ p. [1]", "p.lars:1:1", ["no weak constraints"]),
        ("-p :- q.", "p.lars:1:1", ["← p(X), not_p(X)."]),
        ("{p} :- q.", "p.lars:1:1", ["a choice is two rules: p ← a, not q. and q ← a, not p."]),
        ("1 {p; q} 2 :- r.", "p.lars:1:1", ["a choice is two rules"]),
        ("p :- q, -r.", "p.lars:1:9", ["negation is not or ¬"]),
        ("p(N) :- N = #count {X : q(X)}.", "p.lars:1:13", ["an aggregate is ?n := COUNT(*) of p(X)"]),
        ("p :- q(X), X <> 3.", "p.lars:1:14", ["unequal is !="]),
        ("p :- q(X), X \\ 2 = 0.", "p.lars:1:14", ["remainder is X mod 2"]),
        ("p :- q(X), X % 2 = 0.", "p.lars:1:13", ["% begins a comment"]),
        ("p :- q [3 sec].", "p.lars:1:8", ["“[”", "write a window before its atom"]),
        ("p(X) :- q(X, _Y).", "p.lars:1:14", ["“_Y”", "a variable without _, such as Y"]),
        ("p(X) :- q(X), X > _Y.", "p.lars:1:19", ["“_Y”", "'_Y'"]),
        ("p :- @_{T q.", "p.lars:1:11", ["“q”", "@_{T}"]),
        ('p("\\uD800").', "p.lars:1:4", ["\\uD800 is not an escape"]),
        ("p(?a\\u0020b).", "p.lars:1:5", ["those of letters and digits"]),
        ("p(_:a\\u003Eb).", "p.lars:1:6", ["those of letters and digits"]),
        ("p :- q(X),\n  not r(Y).", "p.lars:2:3", ["unsafe rule: no positive body literal binds Y"]),
        ("p :- q, ◇ ⊞^{#5 choose} r.", "p.lars:1:9", ["inside another operator"]),
        ("p :- ⊞^{3,-4,1} ◇ q.", "p.lars:1:11", ["-3 or more"]),
        (
            "p(N) :- q, N := COUNT(*) of r(X) by S.",
            "p.lars:1:12",
            ["groups by S, but r(X) does not have this variable"],
        ),
        ("p(N) :- N := SUM(Y) of r(X).", "p.lars:1:9", ["aggregates Y, but r(X) does not have"]),
        ("p(N) :- N := SUM(*) of r(X).", "p.lars:1:9", ["SUM requires exactly one variable"]),
        ("p(N) :- N := SUM(X; 'a') of r(X).", "p.lars:1:21", ["the separator in quotes"]),
        ('p(N) :- N := SUM(X; "a") of r(X).', "p.lars:1:9", ["SUM has no separator"]),
        ("p(X) :- X := SUM(X) of r(X).", "p.lars:1:9", ["X is already a variable of r(X)"]),
        ("p :- q(X),\n N := COUNT(*) of r(X).", "p.lars:2:2", ["X also occurs outside", "by X"]),
        ("p(X) :- N := COUNT(*) of r(X).", "p.lars:1:9", ["X also occurs outside", "by X"]),
        ("p(X) :- q, r(X) among 1..2 by Y.", "p.lars:1:12", ["orders by Y, but r(X) does not have"]),
        ("p(X) :- q, r(X) among 1.. per Y.", "p.lars:1:12", ["counts per Y, but r(X) does not have"]),
        ("p(X) :- r(X) among 1..2 per.", "p.lars:1:28", ["a variable to count per"]),
        ("p(X) :- r(X) among 1..2 per X by X.", "p.lars:1:31", ["“by”", "the . that ends a rule"]),
        ("p(X) :- r(X) among 0..2.", "p.lars:1:20", ["begins at 1 or later"]),
        ("p(X) :- r(X) among 3..1.", "p.lars:1:20", ["3..2 is an empty one"]),
        ("p(X) :- r(X) among 3.", "p.lars:1:20", ["1..10, or 11.. for all others"]),
        ("p(N) :- N := MEDIAN(X) of r(X).", "p.lars:1:14", ["“MEDIAN”", "COUNT, SUM, AVG"]),
        ("p(N) :- N := SUM(X) r(X).", "p.lars:1:21", ["of and the atom"]),
        (
            "p(N, Y) :- N := COUNT(*) of r(X).",
            "p.lars:1:1",
            ["unsafe rule: no positive body literal binds Y"],
        ),
        (
            "alarm(X) :- temp(X, V), not ok(Y, X).",
            "p.lars:1:25",
            [
                "If not ok(Y, X) must hold for all Y, use a helper rule:",
                "  some_ok(X) ← ok(Y, X).\n  alarm(X) ← temp(X, V), not some_ok(X).",
            ],
        ),
        (
            "a(X) :- ⊞^{4,0,2} □ temp(X, V).",
            "p.lars:1:1",
            [
                "unsafe rule: no positive body literal binds V, X",
                "⊞^{4,0,2} □ binds no variable, because this window can be empty: it ends at a multiple of 2",
                "  a(X) ← ⊞^{4,0,2} ◇ temp(X, V), ⊞^{4,0,2} □ temp(X, V).",
            ],
        ),
        ("p(X) :- q(Y).", "p.lars:1:1", ["Add a literal that binds X: an atom, ◇ or @"]),
    ],
)
def test_errors_name_the_place_and_what_is_accepted(text, place, words):
    with pytest.raises(PlacedError) as caught:
        read(text, "p.lars")
    assert str(caught.value.place) == place
    assert all(word in caught.value.problem for word in words)


def test_deep_nesting_is_an_error_and_no_crash():
    with pytest.raises(PlacedError, match="nested too deeply"):
        read(f"p ← X = {'(' * 100_000}")


def test_a_constraint_without_a_body_is_written_and_read():
    assert read(write(Program((Rule(None),)))) == Program((Rule(None),))


@pytest.mark.parametrize(
    "unsafe",
    ["alarm(X) :- temp(X, V), not ⊞^5 ◇ ok(Y).", "a(X) :- ⊞^#3 □ temp(X, V).", "a :- not r, not 'P q'(X)."],
)
def test_the_rules_that_an_error_proposes_are_safe(unsafe):
    with pytest.raises(PlacedError) as caught:
        read(unsafe)
    proposed = [line for line in caught.value.problem.split("\n")[2:] if line.startswith("  ")]
    assert proposed
    read("\n".join(proposed))
