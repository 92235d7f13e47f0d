"""Input atoms in columns: from facts, in the order of arrival."""

from dataclasses import replace

from lars.language.windows import Interval
from lars.text.notation import read
from solver.facts import Fact, Situation
from solver.relational import encode, plan, rules_of
from tests.benchmarks.relational_speed import loads

FACTS = [
    Fact(3, "f", ("<x:a>",)),
    Fact(1, "g", ("<x:a>", '"b"')),
    Fact(1, "f", ('"b"',)),
    Fact(1, "e", ()),
    Fact(1, "f", ("null",)),
]
GIVEN = Situation(Interval(0, 9), FACTS, {})


def atoms_of(trace):
    """Return the atoms of a trace in the order of arrival, as texts."""
    found = []
    for (name, _), atoms in trace.atoms.items():
        columns = [trace.terms.texts(column.tolist()) for column in atoms.columns]
        rows = zip(*columns, strict=True) if columns else [()] * len(atoms.t)
        found += zip(atoms.arrival.tolist(), atoms.t.tolist(), [name] * len(atoms.t), rows, strict=True)
    return [(t, name, row) for _, t, name, row in sorted(found)]


def test_atoms_stand_in_the_order_of_time_and_then_of_arrival():
    expected = [
        *((1, "g", ("<x:a>", '"b"')), (1, "f", ('"b"',)), (1, "e", ()), (1, "f", (None,))),
        (3, "f", ("<x:a>",)),
    ]
    assert atoms_of(encode(GIVEN)) == expected
    assert atoms_of(encode(replace(GIVEN, facts=[]))) == []


def test_atoms_outside_the_timeline_are_left_out():
    assert atoms_of(encode(replace(GIVEN, timeline=Interval(2, 9)))) == [(3, "f", ("<x:a>",))]


def test_a_plan_shows_each_rule_above_its_algebra():
    program = read(
        "in(X, Y) ← ⊞^3 ◇ f(X, Y), not ⊞^1 ◇ e. m(X, Z) ← m(X, Y), in(Y, Z). m(X, Y) ← in(X, Y). "
        "q(?n) ← ?n := COUNT(*) of m(?x, ?y), [?n > 2]. unused(X) ← f(X, X). ← in(X, X)."
    )
    assert "\n".join(map(str, rules_of(plan(program, ("q", 1))))).split("\n") == [
        "% in(X, Y) ← ⊞^3 ◇ f(X, Y), not ⊞^1 ◇ e.",
        "  ⊞^3 ◇ f(X, Y) − ⊞^1 ◇ e",
        "% m(X, Z) ← m(X, Y), in(Y, Z).",
        "  m(X, Y) ⋈ in(Y, Z)",
        "% m(X, Y) ← in(X, Y).",
        "  in(X, Y)",
        "% q(?n) ← ?n := COUNT(*) of m(?x, ?y), [?n > 2].",
        "  ?n := COUNT(*) of m(?x, ?y) where [?n > 2]",
        "% ← in(X, X).",
        "  in(X, X)",
    ]


def test_the_benchmark_compares_like_with_like(capsys):
    loads([4], 40, 10)
    assert capsys.readouterr().out.startswith("4 facts a point: a program for each time ")
