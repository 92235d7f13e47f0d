"""What `lars explain` says of programs without answer streams, tuple windows, □, input and its limits."""

from shlex import split
from time import process_time

import pytest

from agreement.answering.asked_atoms import read_question
from lars.errors import LarsError
from tests.agreement.command import lars


@pytest.fixture
def explain(tmp_path):
    """Return a function that explains an atom of a program and a trace, given as texts."""

    def run(program, trace, t, atom, *options):
        files = tmp_path / "p.lars", tmp_path / "t.txt"
        for file, text in zip(files, (program, trace), strict=True):
            file.write_text(text)
        return lars("explain", *files, "--at", t, atom, *options)

    return run


RULED_OUT = """in(X) ← ⊞^10 ◇ enter(X). guard(X) ← in(X), not idle(X). idle(X) ← in(X), guard(Y), X != Y.
← guard(X), ⊞^10 ◇ enter(bob). @_T2 greet(X) ← ⊞^3 @_T enter(X), T2 = T + 1."""
ENTERED = "3: enter(ann) enter(bob).\n9: enter(dan).\n"
VIOLATED = """no answer stream exists at 9
without constraints, and without heads outside the timeline, the rules have 3 answer streams; the \
first answer stream violates:
rule 4: ← guard(X), ⊞^10 ◇ enter(bob).
│ the rule is a constraint, and its body holds with X = ann
├─ guard(ann) at 9
│  │ by rule 2: guard(X) ← in(X), not idle(X)."""


def test_without_answer_stream_the_constraint_and_the_head_outside_are_shown(explain):
    found = explain(RULED_OUT, ENTERED, 9, "guard(ann)")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(VIOLATED)
    outside = (
        "its body holds with T = 9, T2 = 10, X = dan, but the head @_10 greet(dan) is outside the timeline"
    )
    assert f"│ {outside} [0, 9]\n├─ ⊞^3 @_9 enter(dan): at 9" in found.out


EXCLUDED = "on(M) ← r(M), not off(M).\noff(M) ← r(M), not on(M).\n← off(M), bad(M)."


def test_the_constraint_that_excludes_an_atom_is_named(explain):
    found = explain(EXCLUDED, "1: r(a) bad(a) r(b).\n", 1, "off(a)")
    first, rule, *_ = found.out.splitlines()
    assert first.endswith("have 2 answer streams with off(a); the first answer stream violates:")
    assert rule == "rule 3: ← off(M), bad(M)."
    assert "off(a) does not hold at 1" in found.out
    document = explain(EXCLUDED, "1: r(a) bad(a) r(b).\n", 1, "off(a)", "--json").json
    (violation,) = document["excluded"]["violations"]
    assert (violation["rule"], document["excluded"]["without"]) == (3, 2)


@pytest.mark.parametrize(("atom", "model"), [("off(b)", 2), ("bad(b)", 1), ("on(c)", 1)])
def test_a_constraint_is_not_named_for_other_atoms(explain, atom, model):
    found = explain(EXCLUDED, "1: r(a) bad(a) r(b).\n", 1, atom, "--model", model)
    assert "does not hold at 1" in found.out
    assert "violates" not in found.out


def test_the_json_without_answer_stream_has_the_violations(explain):
    found = explain(RULED_OUT, ENTERED, 9, "guard(ann)", "--json").json
    assert [found[key] for key in ("at", "t", "atom", "answer_streams")] == [9, 9, "guard(ann)", 0]
    assert (found["why"]["kind"], found["why"]["without"], found["why"]["more"]) == ("violated", 3, False)
    constraint, head = found["why"]["violations"]
    assert (constraint["rule"], constraint["head"], constraint["others"]) == (4, None, 0)
    assert constraint["binding"]["X"]["value"] == "ann"
    assert (head["rule"], head["head"]) == (5, "@_10 greet(dan)")


def test_a_constraint_is_violated_by_the_choice_that_was_made(explain):
    found = explain("p(X) ← ⊞^{#1 choose} ◇ e(X). ← p(X).", "3: e(a) e(b).\n", 3, "p(b)")
    assert "have 2 answer streams; the first answer stream violates:\nrule 2: ← p(X).\n" in found.out
    assert "\n│ the rule is a constraint, and its body holds with X = a" in found.out
    assert "⊞^{#1 choose} ◇ e(a): at 3" in found.out


def test_a_choice_that_a_constraint_alone_makes_is_shown(explain):
    found = explain("p ← ⊞^3 ◇ e(a). ← p, ⊞^{#1 choose} ◇ e(X).", "3: e(a) e(b).\n", 3, "p")
    violated = "have 1 answer stream; the first answer stream violates:\nrule 2: ← p, ⊞^{#1 choose} ◇ e(X).\n"
    assert violated in found.out


def test_only_what_depends_on_its_own_absence_is_named(explain):
    program = "a ← not b, x. b ← c. c ← a. d ← not e, x. e ← not d, x. f ← a, not d."
    found = explain(program, "3: x.\n", 3, "a", "--json").json
    why = found["why"]
    assert why["kind"] == "circular"
    named = {part["predicate"]: [rule["rule"] for rule in part["rules"]] for part in why["on_own_absence"]}
    assert named == {"a/0": [1], "b/0": [2], "c/0": [3]}


TUPLES = {
    (
        "⊞^#2 ◇ p(X)",
        "3: p(1) p(2) q(1).\n",
        3,
    ): "p(1) at 3 arrived before the newest 2 input atoms, which are at 3 to 3\n",
    (
        "⊞^#1 ◇ p(X)",
        "1: p(1).\n3: p(2).\n",
        3,
    ): "p(1) at 1 arrived before the newest input atom, which is at 3",
    (
        "⊞^{#2 's'} ◇ p(X, s)",
        "1: p(1,s).\n2: p(2,s).\n3: p(2,s) p(1,r).\n",
        3,
    ): "p(1, s) at 1 arrived before the newest 2 input atoms of s, which are at 2 to 3\n",
    ("⊞^{#1 's'} ◇ p(X, r)", "1: p(2,s).\n2: p(1,r).\n", 3): "the window counts only input atoms of s, "
    "and not p(1, r) at 2\n",
    ("⊞^{#1 by 1} ◇ p(X, a)", "1: p(1,a).\n2: p(1,b) p(2,a).\n", 3): "p(1, a) at 1 arrived before the newest "
    "input atom of its partition (by argument 1), which is at 2\n",
    ("⊞^{#1 choose} ◇ p(X)", "2: p(1) p(0).\n", 3): "the choice among the input atoms at 2 omits p(1) at 2\n",
    (
        "⊞^{#1 's'} ◇ p(X, s)",
        "2: q(1).\n4: p(1,s).\n",
        3,
    ): "the window is empty: no input atom of s has arrived; nearest later match: p(1, s) at 4\n",
}


@pytest.mark.parametrize(("literal", "trace", "t"), TUPLES)
def test_a_tuple_window_tells_why_it_lacks_an_atom(explain, literal, trace, t):
    found = explain(f"last(X) ← {literal}. last(7) ← p(7).", f"{trace}9:\n", t, "last(1)", "--model", 1)
    assert f"◇ {literal.partition('◇ ')[2].replace('X', '1')}: {TUPLES[literal, trace, t]}" in found.out


BOXES = """alarm ← ⊞^5 □ high. high ← temp(X), X > 30. cold ← ⊞^3 □ temp(20).
hot ← ⊞^5 □ warm. @_T warm ← ⊞^9 @_T temp(X), X > 30."""
TEMPERATURES = "2: temp(31).\n3: temp(32).\n4: temp(31).\n5: temp(20).\n6: temp(31).\n7: temp(32).\n"
GAPS = {
    "alarm": "✗ ⊞^5 □ high: not at every time of [2, 7]: high is not at 2, 3, 4, … (5 times)\n"
    "      └─ cannot be derived by rule 2: high ← temp(X), X > 30.\n           its head is at 7, not at 2\n",
    "hot": "warm is not at 5\n      └─ by rule 5: @_T warm ← ⊞^9 @_T temp(X), X > 30.\n"
    "         │ closest match: T = 5, X = 20\n",
    "cold": "temp(20) is not at 4, 6, 7\n",
}


@pytest.mark.parametrize("atom", GAPS)
def test_a_box_tells_the_times_at_which_it_fails_and_why_at_the_first(explain, atom):
    assert GAPS[atom] in explain(BOXES, TEMPERATURES, 7, atom).out


def test_the_json_of_a_box_has_its_gaps(explain):
    (closest,) = explain(BOXES, TEMPERATURES, 7, "alarm", "--json").json["closest"]
    assert closest["failed"]["gaps"] == {"atom": "high", "first": [2, 3, 4], "count": 5}
    missing = closest["failed"]["missing"]
    assert (missing["from"], missing["to"], missing["cannot"][0]["head_at"]) == (2, 2, 7)


def test_the_closest_of_hundreds_of_instances_is_found(explain):
    program = "p ← f(X), g(Y), 100 * X + Y = 1713, h."
    atoms = " ".join(f"{name}({number})" for name in "fg" for number in range(30))
    assert "│ closest match: X = 17, Y = 13\n" in explain(program, f"1: {atoms}.\n", 1, "p").out


def test_the_other_instances_of_a_violated_constraint_are_counted(explain):
    atoms = " ".join(f"s({number})" for number in range(150))
    assert "other instances: 149\n" in explain("p ← e. ← s(X).", f"1: e {atoms}.\n", 1, "p").out


UNDERIVED = {
    "temp(31)": "it is an input atom, which did not arrive at 5; nearest earlier match: temp(31) at 4; "
    "nearest later match: temp(31) at 6",
    "@_1 temp(31)": "it is an input atom, which did not arrive at 1; nearest later match: temp(31) at 2",
    "temp(30)": "it is an input atom, which never arrives in the trace",
    "known(20)": "neither the facts nor the static data contain it",
}


@pytest.mark.parametrize("atom", UNDERIVED)
def test_what_no_rule_derives_is_input_or_background(explain, atom):
    found = explain(f"{BOXES} known(30).", TEMPERATURES, 5, atom)
    assert found.out.endswith(f"\n└─ {UNDERIVED[atom]}\n")


def test_the_json_of_an_input_atom_has_the_nearest(explain):
    found = explain(BOXES, TEMPERATURES, 5, "temp(31)", "--json").json
    assert found["derivable"] is False
    assert [(near["side"], near["t"]) for near in found["nearest"]] == [("before", 4), ("after", 6)]


MANY = "on(X) ← ⊞^10 ◇ s(X), not off(X). off(X) ← ⊞^10 ◇ s(X), not on(X)."
SEEN = f"1: {' '.join(f's({number})' for number in range(11))}.\n"


def test_more_than_a_thousand_answer_streams_are_said_to_be_more(explain):
    assert " of more than 1000\n" in explain(MANY, SEEN, 1, "on(1)").out
    assert explain(MANY, SEEN, 1, "on(1)", "--json").json["more"] is True
    refused = explain(MANY, SEEN, 1, "on(1)", "--model", 1500)
    assert refused.code == 2
    assert "--model 1500: expected 1..1000" in refused.err
    assert "lars examined only the first 1000 answer streams" in refused.err


@pytest.mark.parametrize("rule", ["n(Y) ← n(X), Y = X + 1.", "n(Y) ← n(X), Y = X * 1000000."])
def test_what_the_solver_refuses_names_the_program(explain, tmp_path, rule, monkeypatch):
    monkeypatch.setattr("solver.pointwise.encoding.MOST_NUMBERS", 5000)
    found = explain(f"n(Y) ← s(X), Y = X + 2. {rule}", SEEN, 1, "n(2)")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"lars: {tmp_path / 'p.lars'}:1:25: ")
    assert rule in found.err


def test_the_command_that_agree_prints_explains_a_row_with_a_triple_term(tmp_path):
    files = {
        "q.rq": "SELECT ?a ?x WHERE { STREAM <urn:s> [RANGE 3s] { ?x <urn:p> ?a } }",
        "t.nq": '<urn:a> <urn:p> <<( <urn:a> <urn:b> "1, (2"@en )>> <urn:s> "1" .\n'
        '<urn:b> <urn:p> "1" <urn:s> "7" .\n',
        "experiment.toml": 'cqels = "q.rq"\nfiles = "t.nq"\nperiod = 2\nrdf = "1.2"\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    printed = lars("agree", tmp_path, "--in-process").out.splitlines()
    command = split(next(line for line in printed if line.startswith("lars explain")))
    assert (command[:2], command[-1][:9]) == (["lars", "explain"], "ans1(<<( ")
    found = lars("explain", tmp_path, *command[3:])
    assert found.code == 0
    assert found.out.startswith("ans1(<<( ")


@pytest.mark.parametrize("inside", [" " * 20_000 + "<", "a " * 10_000 + "<", " " * 20_000 + "x'y"])
def test_an_atom_with_many_blanks_is_rejected_in_the_time_of_its_length(inside):
    began = process_time()
    for text in (f"p({inside})", f"p{inside}"):
        with pytest.raises(LarsError, match="is not an atom"):
            read_question(text)
    assert process_time() - began < 1


def test_arguments_are_parted_at_commas_outside_of_terms():
    terms = ["a", ' <<( <x:a> <x:b> <<( _:c <x:d> "1, )>>"@en )>> )>> ', "'it, x'", "<x:a,b>", ' "<"^^<x:,> ']
    found = read_question(f"@_3 p({','.join(terms)})")
    assert found.arguments == tuple(map(str.strip, terms))


def test_the_input_that_has_left_the_windows_is_named_although_another_rule_instance_is_closer(tmp_path):
    """The closest instance has x2, which never had a second triple; what is missing is any second triple."""
    query, trace = tmp_path / "q.rq", tmp_path / "t.nq"
    parts = "STREAM e:S [RANGE 5s] { ?s e:p ?x } STREAM e:R [RANGE 5s] { ?x e:q ?y }"
    query.write_text(f"PREFIX e: <http://e/> SELECT ?s {{ {parts} }}")
    triples = (("s", "p", "x1", "S", 1), ("x1", "q", "y", "R", 2), ("s", "p", "x2", "S", 4))
    trace.write_text(
        "".join(
            f'<http://e/{s}> <http://e/{p}> <http://e/{o}> <http://e/{r}> "{t}" .\n'
            for s, p, o, r, t in triples
        )
    )
    asked = ("explain", query, trace, "--mode", "pull", "--period", 8, "--at", 8, "ans(s)")
    first, *rest = lars(*asked).out.splitlines()
    assert first == (
        "an evaluation at 6 would return the row; since then, striple(s, p, x1, S) of time 1 left the window "
        "⊞^5 at 7; striple(x1, q, y, R) of time 2 left the window ⊞^5 at 8"
    )
    assert any("closest match: ?s = s, ?x = x2" in line for line in rest)
    assert rest[-1].endswith("nearest earlier match: striple(x1, q, y, R) at 2, which left the window at 8")
    held = lars(*asked, "--json").json["held"]
    assert (held["t"], [(one["t"], one["left"]) for one in held["left"]]) == (6, [(1, 7), (2, 8)])
    # Nothing has left at 6, and no earlier evaluation has the row at 1.
    assert lars(*asked[:-3], "--at", 1, "ans(s)").out.startswith("the query is not evaluated at 1")
    assert "would return the row" not in lars(*asked[:-3], "--at", 1, "ans(s)").out


def test_a_triple_that_has_left_a_tuple_window_is_named_however_old_it_is(tmp_path):
    query, trace = tmp_path / "q.rq", tmp_path / "t.nq"
    query.write_text("PREFIX e: <http://e/> SELECT ?s { STREAM e:S [TRIPLES 2] { ?s e:p ?x } }")
    line = '<http://e/{}> <http://e/p> <http://e/x> <http://e/S> "{}" .\n'
    trace.write_text("".join(line.format(name, t) for name, t in (("a", 1), ("b", 20), ("c", 40))))
    asked = ("explain", query, trace, "--at", 50)
    assert (
        "an evaluation at 39 would return the row; since then, striple(a, p, x, S) of time 1 left"
        in lars(*asked, "ans(a)").out
    )
    assert "would return the row" not in lars(*asked, "ans(b)").out  # it is still in the window


def test_for_a_box_the_missing_times_are_named_and_no_atom_outside_the_window(explain):
    found = explain(
        "hot(X) ← ⊞^3 □ warm(X).", "1: warm(a).\n4: warm(a).\n5: warm(a).\n9: warm(a).\n", 6, "hot(a)"
    )
    assert "not at every time of [3, 6]: warm(a) is not at 3, 6" in found.out
    assert "nearest" not in found.out


def test_a_negation_that_holds_shows_what_its_atom_lacks(explain):
    program = "hot(X) :- temp(X), not ⊞^5 ◇ off(X), not cold(X).\noff(X) :- switch(X), power(X)."
    lines = [
        line.strip("│├└─ ")
        for line in explain(program, "2: temp(a) switch(a).\n", 2, "hot(a)").out.splitlines()
    ]
    place = lines.index("not ⊞^5 ◇ off(a): nowhere in [0, 2], the window is [0, 2]")
    assert lines[place + 1] == "not derived by rule 2: off(X) ← switch(X), power(X)."
    assert lines[place + 2] == "✗ power(a): no match in [2, 2]"
    assert lines[place + 3] == "not cold(a): not at 2"


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        ('"x"@en-us', '"x"@en'),
        ('"21"', '"21"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ("<urn:a>", "<urn:b>"),
    ],
)
def test_a_row_that_holds_with_a_term_that_looks_the_same_is_named(tmp_path, there, asked):
    (tmp_path / "q.rq").write_text("SELECT ?v ?x { STREAM <urn:s> [NOW] { ?x <urn:v> ?v } }")
    lines = (f'<urn:a> <urn:v> {each} <urn:s> "3" .\n' for each in (there, "<urn:z>"))
    (tmp_path / "t.nq").write_text("".join(lines))
    ran = lars("explain", tmp_path / "q.rq", tmp_path / "t.nq", "--at", 3, f"ans({asked},urn:a)")
    first = ran.out.partition("\n")[0]
    assert ran.code == 0, ran.err
    assert first.startswith(f"ans1({there}, <urn:a>) holds at 3, not ans1(") == (there != "<urn:a>")


MIXED = """n(a, 2).
c(X, ?n) ← ?n := COUNT(Y) of z(X, Y) by X.
d(X, N) ← z(X, M), n(X, N).
both(X, N) ← c(X, N), d(X, N).
"""


def test_a_number_of_lars_and_an_equal_literal_look_different(tmp_path):
    """The literal 2 of COUNT is not the number 2 of the fact, so n(a, 2) must not be said to be missing."""
    (tmp_path / "p.lars").write_text(MIXED)
    (tmp_path / "p.atoms").write_text("1: z(a, 5) z(a, 9).\n")
    found = lars("explain", tmp_path / "p.lars", tmp_path / "p.atoms", "--at", 1, "c(a, 2)")
    assert found.out.splitlines()[0] == 'c(a, "2"^^xsd:integer) at 1'
    found = lars("explain", tmp_path / "p.lars", tmp_path / "p.atoms", "--at", 1, "d(a, 2)")
    assert found.out.splitlines()[-1] == "└─ n(a, 2): a fact"
    found = lars("explain", tmp_path / "p.lars", tmp_path / "p.atoms", "--at", 1, "both(a, 2)").out
    assert "✗ c(a, 2)" in found
    literal = 'both(a, "2"^^<http://www.w3.org/2001/XMLSchema#integer>)'
    found = lars("explain", tmp_path / "p.lars", tmp_path / "p.atoms", "--at", 1, literal).out
    assert ("✗ n(a, 2)" in found, "✗ n(a, " in found) == (False, True)


@pytest.mark.parametrize(
    ("atom", "why"),
    [
        ("top(b, 7)", "w(b, 7) is number 2, after w(a, 9), of 4 instances"),
        ("second(a, 9)", "w(a, 9) is number 1, of 4 instances"),
        ("own(a, 5)", "w(a, 5) is number 2, after w(a, 9), of 2 instances"),
    ],
)
def test_an_atom_that_is_not_among_the_first_has_a_rank(tmp_path, atom, why):
    (tmp_path / "p.lars").write_text(
        "top(X, Y) ← w(X, Y) among 1..1 by desc Y. second(X, Y) ← w(X, Y) among 2..2 by desc Y. "
        "own(X, Y) ← w(X, Y) among 1..1 by desc Y per X."
    )
    (tmp_path / "p.atoms").write_text("1: w(a, 5) w(b, 7) w(a, 9) w(c, 5).\n")
    found = lars("explain", tmp_path / "p.lars", tmp_path / "p.atoms", "--at", 1, atom)
    assert f": {why}\n" in found.out


@pytest.mark.parametrize(
    ("literal", "reason"),
    [
        ("not ⊞^#1 ◇ e(a)", "not kept at 5, the window is [5, 5]"),
        ("not ⊞^#1 □ e(a)", "at 5: not kept at 5, the window is [5, 5]"),
        ("not ⊞^#2 ◇ e(a)", "nowhere kept in [5, 6], the window is [5, 6]"),
        ("not ⊞^#2 ◇ e(c)", "nowhere in [5, 6], the window is [5, 6]"),
        ("⊞^#1 □ e(a)", "not at every time of [5, 5]: e(a) is not kept at 5; e(a) at 5 arrived before"),
    ],
)
def test_an_atom_that_a_tuple_window_dropped_was_at_its_time(literal, reason, tmp_path):
    (tmp_path / "p.lars").write_text(f"p ← {literal}.")
    (tmp_path / "t.atoms").write_text("5: e(a) e(b).\n6: f.\n")
    found = lars(
        "explain", tmp_path / "p.lars", tmp_path / "t.atoms", "--at", 6 if "#2" in literal else 5, "p"
    )
    assert f"{literal}: {reason}" in found.out
