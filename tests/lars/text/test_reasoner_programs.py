"""Programs and logs of I-DLV-sr: what is derived is part of the stream, by a direct reading of its manual."""

import random
import re

import pytest

from lars.errors import PlacedError
from lars.text import is_reasoner_program, read_reasoner_program, reasoner_meaning
from tests.agreement.command import lars
from tests.packs import files_of, pack

VALUES = (1, 2)
INPUTS = {"a": 1, "b": 1, "e": 2}
WINDOWS = ("[0 sec]", "[1 sec]", "[3 sec]", "{1 sec}", "{0 sec, 2 sec}")


def literal(rng, names, *, first):
    """Return a literal as text: an atom of X, of which some times are asked."""
    name = rng.choice(names)
    atom = f"{name}({'X, _' if INPUTS.get(name) == 2 else 'X'})"
    number = rng.randrange(1, 4)
    kinds = ["", f" in {rng.choice(WINDOWS)}", f" always in {rng.choice(WINDOWS)}"]
    kinds += [f" {word} {number} in {rng.choice(WINDOWS)}" for word in ("at least", "count")]
    if not first:
        kinds.append(f" at most {number - 1} in {rng.choice(WINDOWS)}")
    return f"{'' if first else rng.choice(('', 'not '))}{atom}{rng.choice(kinds)}"


def program(rng):
    """Return rules in the order of what they need, each as its head's name and its literals."""
    rules, names = [], list(INPUTS)
    for number in range(1, 4):
        for _ in range(rng.randrange(1, 3)):
            body = [literal(rng, names, first=True)]
            body += [literal(rng, names, first=False) for _ in range(rng.randrange(2))]
            if rng.random() < 0.2:
                body.append(f"{rng.choice(('', 'not '))}d{number}(X) in {{1 sec, 3 sec}}")
            rules.append((f"d{number}", body))
        names.append(f"d{number}")
    return rules


def history(rng):
    """Return the times of a log with what arrives: there are gaps, and lines of nothing that is read."""
    times = sorted(rng.sample(range(1, 16), 9))
    every = [(name, arguments) for name, count in INPUTS.items() for arguments in tuples(count)]
    return {t: {("z", ())} | {one for one in every if rng.random() < 0.3} for t in times}


def tuples(count):
    return [()] if count == 0 else [(value, *rest) for value in VALUES for rest in tuples(count - 1)]


PARTS = re.compile(r"(not )?(\w+)\(([^)]*)\)(?: (?:(always|at least|at most|count)(?: (\d+))? )?in (.*))?")


def offsets(text):
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    return range(numbers[0] + 1) if text[0] == "[" else numbers


def holds(text, x, t, seen):
    """Return whether a literal holds for a value at a time, by the manual."""
    negated, name, arguments, word, number, times = PARTS.fullmatch(text).groups()
    back = offsets(times) if times else [0]

    def enough(atom):
        held = sum(atom in seen.get(t - offset, ()) for offset in back)
        wanted = {None: 1, "always": len(back), "at least": number, "count": number, "at most": number}[word]
        if word == "at most":
            return held > int(wanted)
        return held == int(wanted) if word == "count" else held >= int(wanted)

    atoms = [(name, (x, *rest)) for rest in tuples(arguments.count(","))]
    return any(map(enough, atoms)) != (bool(negated) != (word == "at most"))


def right(rules, log):
    """Return what is derived at each time of a log, where it is kept."""
    seen, found = {}, {}
    for t, atoms in log.items():
        seen[t] = set(atoms)
        for name, body in rules:
            seen[t] |= {(name, (x,)) for x in VALUES if all(holds(part, x, t, seen) for part in body)}
        found[t] = seen[t] - atoms
    return found


def written(name, arguments):
    return f"{name}({', '.join(map(str, arguments))})" if arguments else name


@pytest.mark.parametrize("seed", range(10))
def test_programs_derive_what_their_manual_says(seed, tmp_path):
    rng = random.Random(seed)
    rules, log = program(rng), history(rng)
    (tmp_path / "p.idlvsr").write_text("".join(f"{name}(X) :- {', '.join(body)}.\n" for name, body in rules))
    lines = (f"{t} {' '.join(f'{written(*atom)};' for atom in sorted(atoms))}\n" for t, atoms in log.items())
    (tmp_path / "t.log").write_text("".join(lines))
    ran = lars("solve", tmp_path / "p.idlvsr", tmp_path / "t.log", "--evaluator", "both", "--in-process")
    assert ran.code == 0, ran.err
    shown = dict(line.split(": ") for line in ran.out.splitlines())
    for t, atoms in right(rules, log).items():
        assert (t, shown[str(t)]) == (t, f"{{{', '.join(sorted(written(*atom) for atom in atoms))}}}")


def test_what_is_looked_back_to_rests_on_others_and_on_lines_of_other_atoms(tmp_path):
    chain = "g(X) :- a(X) in [1 sec]. h(X) :- g(X), not b(X). l(X) :- h(X) always in [1 sec]."
    (tmp_path / "p.idlvsr").write_text(chain)
    (tmp_path / "t.log").write_text("1 a(1);\n2 z;\n3 a(1);\n4 b(1);\n5 z;\n7 a(1);\n8 z;\n")
    ran = lars("solve", tmp_path / "p.idlvsr", tmp_path / "t.log", "--evaluator", "both", "--in-process")
    assert [line[0] for line in ran.out.splitlines() if "l(1)" in line] == ["2", "3", "8"]


def test_an_atom_that_has_to_hold_now_already_does_not_support_itself(tmp_path):
    (tmp_path / "p.idlvsr").write_text("e(X) :- a(X).\ne(X) :- f(X), b(X).\nf(X) :- e(X) always in [1 sec].")
    (tmp_path / "t.log").write_text("1 a(1);\n2 b(1);\n3 a(1);\n4 a(1); b(1);\n")
    ran = lars("solve", tmp_path / "p.idlvsr", tmp_path / "t.log", "--from", "1", "--in-process")
    assert ran.out.splitlines() == ["1: {e(1)}", "2: {}", "3: {e(1)}", "4: {e(1), f(1)}"]


def lars_program(rng):
    """Return a LARS program as text whose windows look back with ◇."""
    rules, names = ["f(1)."], [*INPUTS, "f"]
    for number in range(1, 4):
        parts = []
        for place in range(rng.randrange(1, 4)):
            name = rng.choice(names)
            window = rng.choice(("", "⊞^2 ◇ ", "⊞^0 ◇ "))
            more = ("" if name != "e" else ", 1") if place else ", ?y" * (name == "e")
            atom = f"{window}{name}(X{more})"
            parts.append(f"not {atom}" if place and rng.random() < 0.5 else atom)
        rules.append(f"d{number}(X) ← {', '.join((*parts, *rng.choice(((), ('X + 1 != 2',)))))}.")
        names.append(f"d{number}")
    return "\n".join(rules)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_written_for_i_dlv_sr_is_read_as_the_program(seed, tmp_path):
    rng = random.Random(seed)
    (tmp_path / "p.lars").write_text(lars_program(rng))
    ran = lars("translate", tmp_path / "p.lars", "--format", "idlv-sr")
    assert ran.code == 0, ran.err
    (tmp_path / "q.idlvsr").write_text(ran.out)
    log = history(rng)
    lines = (f"{t} {' '.join(f'{written(*atom)};' for atom in sorted(atoms))}\n" for t, atoms in log.items())
    (tmp_path / "t.log").write_text("".join(lines))
    both = (
        lars("solve", tmp_path / name, tmp_path / "t.log", "--in-process") for name in ("p.lars", "q.idlvsr")
    )
    one, other = (re.sub(r"f\(1\)(, )?", "", ran.out) for ran in both)
    assert one == other


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p ← ⊞^2 □ q.", "⊞^2 □ q"),
        ("p ← ⊞^{4,0,2} ◇ q.", "⊞^{4,0,2} ◇ q"),
        ("p ← ⊞^#2 ◇ q.", "⊞^#2 ◇ q"),
        ("p ← ⊞^{5 low-open} ◇ q.", "⊞^{5 low-open} ◇ q"),
        ("@_T p ← ⊞^2 @_T q.", "the head @_T p"),
        ("p(X) ← q(X), X = 7 / 2.", "(7 / 2)"),
        ('p ← q(X, "a\'b\\n").', "the text"),
        ("p(X) ← 'not'(X).", "the predicate 'not'"),
        ('p(X) ← q(X, <urn:a>). p(X) ← r(X, "<urn:a>").', 'both <urn:a> and "<urn:a>"'),
    ],
)
def test_what_i_dlv_sr_cannot_say_is_named_with_its_place(text, said, tmp_path):
    (tmp_path / "p.lars").write_text(text)
    ran = lars("translate", tmp_path / "p.lars", "--format", "idlv-sr")
    assert ran.code == 2
    assert "p.lars:1:" in ran.err
    assert f"I-DLV-sr cannot express {said}" in ran.err


@pytest.mark.parametrize(
    ("text", "written_text"),
    [
        ("p(X) ← q(X, ?y), r(Y_y).", "p(X) :- q(X, YY_y), r(Y_y)."),
        ("p(?é) ← q(?é, ?è).", "p(YY_) :- q(YY_, Y_)."),
    ],
)
def test_variables_keep_different_names_for_i_dlv_sr(text, written_text, tmp_path):
    (tmp_path / "p.lars").write_text(text)
    assert lars("translate", tmp_path / "p.lars", "--format", "idlv-sr").out == f"{written_text}\n"


def test_a_constraint_without_a_body_has_a_literal_for_i_dlv_sr(tmp_path):
    (tmp_path / "p.lars").write_text("p ← q. ← .")
    (tmp_path / "p.idlvsr").write_text(lars("translate", tmp_path / "p.lars", "--format", "idlv-sr").out)
    (tmp_path / "t.log").write_text("1 q;\n")
    ran = [lars("solve", path, tmp_path / "t.log", "--in-process").out for path in tmp_path.glob("p.*")]
    assert ran == ["0: no answer stream\n1: no answer stream\n"] * 2


FOLDER = "stream-reasoners"


def solved(folder, program, log, *more):
    """Return what is printed for a program and a log."""
    ran = lars("solve", *files_of(FOLDER, program), log, "--evaluator", "both", "--in-process", *more)
    assert ran.code == 0, ran.err
    return ran


@pack(FOLDER)
def test_programs_of_both_reasoners_and_both_logs_say_the_same(tmp_path):
    logs = files_of(FOLDER, "caching-window*.log")
    programs = ("caching-window-10.idlvsr", "caching-window-10.lars")
    shown = ["--show", "high/0,mid/0,low/0,lfu/0,lru/0,fifo/0,done/0,random/0,finish/0"]
    outs = {solved(tmp_path, program, log, *shown).out for program in programs for log in logs}
    assert len(logs) == 2
    assert len(outs) == 1
    (lines,) = (out.splitlines() for out in outs)
    assert lines[1] == "2021-05-17T11:10:12: {high, random}"
    assert next(line for line in lines if "lfu" in line) == "2021-05-17T11:10:22: {done, high, lfu}"


@pack(FOLDER)
def test_a_program_is_evaluated_on_its_log_whose_times_lack_seconds_of_zero(tmp_path):
    (log,) = files_of(FOLDER, "content-caching-50.log")
    (tmp_path / "t.log").write_text("".join(log.read_text().splitlines(keepends=True)[31:37]))
    ran = solved(
        tmp_path, "content-caching-50-w05.idlvsr", tmp_path / "t.log", "--to", "4", "--show", "high/1"
    )
    assert len(re.findall(r"high\(\d+\)", ran.out.splitlines()[3])) == 50


@pack(FOLDER)
@pytest.mark.parametrize(
    ("name", "said"),
    [("Q1", "an external atom"), ("Q4", "an external atom"), ("Q10", "#trigger_frequency"), ("Q11", None)],
)
def test_programs_for_citybench_are_read_or_refused_by_name(name, said):
    (path,) = files_of(FOLDER, f"citybench-{name}.idlvsr")
    if said is None:
        assert is_reasoner_program(path.read_text())
        assert read_reasoner_program(path.read_text(), "q").answers == {
            ("sensorsOK", 1), ("sensorsNotOk", 1), ("weatherSensor", 1)
        }  # fmt: skip
        return
    with pytest.raises(PlacedError, match=said):
        read_reasoner_program(path.read_text(), "q")


def test_what_rests_on_derived_atoms_is_named_with_its_place():
    program = read_reasoner_program("h(X) :- a(X) in [4 sec].\nl(X) :- a(X), h(X) always in [5 sec].", "p")
    (note,) = program.notes
    assert note.startswith("p:2:15: “h(X) always in [5 sec]” contains atoms of earlier times: rules derive")
    assert "h in the last 5 s" in note


def test_a_cycle_needs_the_whole_past_of_its_own_atoms_only(tmp_path):
    text = "p(X) :- q(X).\np(X) :- p(X) in [1 sec].\nu(X) :- w(X).\nz(X) :- u(X) in [3 sec]."
    own, other = read_reasoner_program(text, "p").notes
    assert own.endswith("rules derive p at all earlier times")
    assert other.endswith("rules derive u in the last 3 s")
    (tmp_path / "p.idlvsr").write_text(text)
    (tmp_path / "t.log").write_text("1 q(1);\n2 z;\n3 w(1);\n6 v;\n7 v;\n9 q(1);\n")
    options = ("--evaluator", "both", "--from", "1", "--in-process")
    ran = lars("solve", tmp_path / "p.idlvsr", tmp_path / "t.log", *options)
    assert [line[0] for line in ran.out.splitlines() if "p(1)" in line] == ["1", "2", "3", "9"]
    assert [line[0] for line in ran.out.splitlines() if "z(1)" in line] == ["3", "4", "5", "6"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a :- b in [5 sec]. #temp c :- b. d :- c in [2 sec].", "cannot look back to c of a #temp rule"),
        ("a :- b in [1500 msec].", "parts of a second"),
        ("f(1). a :- f(X) always in [5 sec].", "cannot count the times of f"),
        ("a :- b at least 0 in [5 sec].", "use a number from 1 on"),
        ("a :- b at most N in [5 sec], c(N).", "use “at most” followed by a number"),
        ("a(X) :- not b(X) in [5 sec].", "X"),
        ("a(X) :- b(X, _Y) in [5 sec].", "found “_Y”"),
        ("a(X) ← b(X) in [5 sec].", "found “←”.*rules of I-DLV-sr have :-"),
        ("a(X) :- b(Y, X) in {2 sec}, @now = X.", "@now"),
    ],
)
def test_what_is_not_covered_is_named_at_its_place(text, said):
    with pytest.raises(PlacedError, match=said):
        read_reasoner_program(text, "p")


def test_numbers_of_times_can_be_variables(tmp_path):
    text = (
        "n(2). many :- b at least N in [9 sec], n(N). "
        "seen(N) :- b count N in [3 sec]. few :- b at most 0 in [1 sec]."
    )
    (tmp_path / "p.idlvsr").write_text(text)
    (tmp_path / "t.log").write_text("1 b;\n2 z;\n3 b;\n4 z;\n5 z;\n")
    ran = lars("solve", tmp_path / "p.idlvsr", tmp_path / "t.log", "--from", "1", "--in-process")
    assert ran.out.splitlines() == [
        "1: {seen(1)}", "2: {seen(1)}", "3: {many, seen(2)}", "4: {many, seen(2)}", "5: {few, many, seen(1)}"
    ]  # fmt: skip


def test_great_numbers_of_times_need_few_rules(monkeypatch, tmp_path):
    assert len(read_reasoner_program("a :- b at least 999999999 in [9999999 hrs].", "p").rules) < 10
    text = "many :- b at least 3 in [9 sec]. few :- b at most 2 in [9 sec]. two :- b count 2 in [9 sec]."
    (tmp_path / "p.idlvsr").write_text(text)
    (tmp_path / "t.log").write_text("1 b;\n3 b;\n4 z;\n5 b;\n")
    given = ("solve", tmp_path / "p.idlvsr", tmp_path / "t.log", "--from", "1", "--in-process")
    by_steps = lars(*given).out
    monkeypatch.setattr(reasoner_meaning, "_MOST_STEPS", 1)
    assert by_steps == lars(*given).out
    assert by_steps.splitlines()[2:] == ["3: {few, two}", "4: {few, two}", "5: {many}"]


def test_without_persistence_a_window_over_derived_atoms_shows_what_is_derived_now(tmp_path):
    text = "hot(X) :- t(X, C), C >= 30. alarm(X) :- hot(X) in [2 sec]. "
    text += "calm(X) :- t(X, _), not hot(X) in [2 sec]."
    (tmp_path / "p.idlvsr").write_text(text)
    (tmp_path / "p.log").write_text("1 t(a, 31);\n2 t(a, 20);\n5 t(a, 20);\n")
    given = ("solve", tmp_path / "p.idlvsr", tmp_path / "p.log", "--from", 1)
    kept, present = lars(*given), lars(*given, "--reading", "derived=present")
    assert kept.out == "1: {alarm(a), hot(a)}\n2: {alarm(a)}\n3: {alarm(a)}\n4: {}\n5: {calm(a)}\n", kept.err
    assert present.out == "1: {alarm(a), hot(a)}\n2: {calm(a)}\n3: {}\n4: {}\n5: {calm(a)}\n", present.err
    assert (
        "p.idlvsr:1:40: “hot(X) in [0 .. 2 sec]”" in present.err
        or "contains only atoms that are derived at the evaluation time" in present.err
    )
    assert (
        lars("solve", tmp_path / "p.idlvsr", tmp_path / "p.log", "--reading", "derived=persistent").code == 0
    )


def test_only_programs_of_the_reasoners_have_a_reading_of_derived_atoms(tmp_path):
    (tmp_path / "p.lars").write_text("a(X) ← ⊞^3 ◇ b(X).")
    (tmp_path / "b.atoms").write_text("1: b(1).\n")
    ran = lars("solve", tmp_path / "p.lars", tmp_path / "b.atoms", "--reading", "derived=present")
    assert (ran.code, "requires a program of I-DLV-sr" in ran.err) == (2, True), ran.err
