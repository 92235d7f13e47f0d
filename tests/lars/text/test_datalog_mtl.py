"""⊞ ◇ and ⊞ □ against MeTeoR, a reasoner of DatalogMTL over the rationals, where it is installed.

An atom at time point k is there a fact of [k, k + 1): its operators of the past keep such intervals whole.
`pip install meteor-reasoner`, and set SEEDS to draw more programs.
"""

import os
import random
import re

import pytest

from tests.agreement.command import lars

SEEDS = int(os.environ.get("SEEDS", "10"))
INPUTS, LAST = ("a", "b"), 12
WINDOWS = {"[0 sec]": "[0,0]", "[1 sec]": "[0,1]", "[3 sec]": "[0,3]", "{1 sec}": "[1,1]", "{4 sec}": "[4,4]"}


def literal(rng, names):
    """Return an atom with a window in the language of I-DLV-sr, and in DatalogMTL."""
    name, (window, interval) = rng.choice(names), rng.choice([*WINDOWS.items()])
    kind = rng.choice(("", "Diamondminus", "Boxminus"))
    words = {"": "", "Diamondminus": f" in {window}", "Boxminus": f" always in {window}"}[kind]
    return f"{name}(X){words}", f"{kind}{interval if kind else ''}{name.upper()}(X)"


def programs(rng):
    """Return a program in both languages; what looks back to itself needs input too, so that it ends."""
    ours, theirs, names = [], [], [*INPUTS]
    for head in ("c", "d", "e"):
        for _ in range(rng.randrange(1, 3)):
            parts = [literal(rng, names) for _ in range(rng.randrange(1, 3))]
            if rng.random() < 0.3:
                parts += [("b(X)", "B(X)"), literal(rng, [head])]
            ours.append(f"{head}(X) :- {', '.join(text for text, _ in parts)}.")
            theirs.append(f"{head.upper()}(X):-{','.join(text for _, text in parts)}")
        names.append(head)
    return "\n".join(ours), theirs


def drawn(rng):
    return {(t, name, x) for t in range(1, LAST) for name in INPUTS for x in "xy" if rng.random() < 0.5}


def by_meteor(program, facts):
    """Return what holds at each time."""
    loader = pytest.importorskip("meteor_reasoner.utils.loader")
    from meteor_reasoner.materialization.coalesce import coalescing_d
    from meteor_reasoner.materialization.materialize import materialize

    data = loader.load_dataset([f"{name.upper()}({x})@[{t},{t + 1})" for t, name, x in sorted(facts)])
    coalescing_d(data)
    assert materialize(data, loader.load_program(program), mode="naive", K=60)
    return {
        (t, name.lower(), argument.name)
        for name, rows in data.items()
        for (argument,), intervals in rows.items()
        for one in intervals
        for t in range(int(one.left_value), min(int(one.right_value), LAST + 1))
        if name.lower() not in INPUTS
    }


def solved(folder, name, facts):
    """Return the derived atoms of a program at each time of a log."""
    lines = (
        f"{t} z; {' '.join(f'{name}({x});' for at, name, x in sorted(facts) if at == t)}\n"
        for t in range(1, LAST + 1)
    )
    (folder / "t.log").write_text("".join(lines))
    ran = lars("solve", folder / name, folder / "t.log", "--evaluator", "both", "--in-process")
    assert ran.code == 0, ran.err
    found = re.findall(r"^(\d+): \{(.*)\}$", ran.out, re.MULTILINE)
    return {(int(t), *atom) for t, atoms in found for atom in re.findall(r"(\w)\((\w)\)", atoms)}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_windows_over_input_and_derived_atoms_are_operators_of_the_past(seed, tmp_path):
    pytest.importorskip("meteor_reasoner")
    rng = random.Random(seed)
    (ours, theirs), facts = programs(rng), drawn(rng)
    (tmp_path / "p.idlvsr").write_text(ours)
    assert solved(tmp_path, "p.idlvsr", facts) == by_meteor(theirs, facts)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_windows_of_a_lars_program_are_operators_of_the_past(seed, tmp_path):
    pytest.importorskip("meteor_reasoner")
    rng = random.Random(seed)
    facts, (one, other) = drawn(rng), (rng.randrange(4), rng.randrange(4))
    # A window of LARS ends where the stream begins: □ is asked of whole windows.
    begun = f"⊞^0 @_N true, N >= {other}" if other else "a(X)"
    rule = f"c(X) ← ⊞^{one} ◇ a(X), ⊞^{other} □ b(X), {begun}."
    (tmp_path / "p.lars").write_text(rule)
    theirs = f"C(X):-Diamondminus[0,{one}]A(X),Boxminus[0,{other}]B(X)" + ("" if other else ",A(X)")
    assert solved(tmp_path, "p.lars", facts) == by_meteor([theirs], facts)
