"""Programs that cannot be solved: the message names the file, the line and the literal."""

import pytest

from agreement.documents.requests import load_program
from lars.errors import LarsError, PlacedError
from lars.language.terms import write_name
from solver.pointwise import encoding
from tests.agreement.command import solve

HEAD = "@prefix e: <http://e/> .\np(X) :- ⊞^5 ◇ striple(X, e:in, Y, G),\n   "
REFUSED = (
    (
        "not ⊞^5 ◇ ⊞^3 □ q(X).",
        "cannot evaluate ◇ ⊞^3 □ q(X): found the operator ◇ around a window; use at most one window",
    ),
    ("[FOO(?X)].", "function FOO: unknown"),
    ("Z := [STRLEN(?X, ?Y)].", "function STRLEN: found 2 arguments; expected 1"),
    ("not q(W), r.", "unsafe rule: no positive body literal binds W"),
    ("q(X) r.", "expected a comma"),
)


@pytest.fixture
def program(tmp_path):
    def written(text):
        path = tmp_path / "p.lars"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize(("literal", "problem"), REFUSED)
def test_a_refusal_shows_the_literal(program, literal, problem):
    path = program(HEAD + literal)
    column = 9 if "comma" in problem else 4
    with pytest.raises(PlacedError) as caught:
        load_program(path)
    assert str(caught.value).startswith(f"{path}:3:{column}: ")
    assert problem in caught.value.problem
    assert str(caught.value).endswith(f"\n  {HEAD[-3:]}{literal}\n  {' ' * (column - 1)}^")


def test_the_command_refuses_it_with_the_same_message(program, tmp_path):
    (tmp_path / "t.nq").write_text('<urn:a> <urn:b> <urn:c> <urn:s> "3" .\n')
    path = program(HEAD + REFUSED[0][0])
    code, out, err = solve(path, tmp_path / "t.nq")
    assert (code, out) == (2, "")
    assert err.startswith(f"lars: {path}:3:4: cannot evaluate")


def test_a_file_that_is_no_text_is_refused(program):
    path = program("")
    path.write_bytes(b"p :- \xff")
    with pytest.raises(
        LarsError, match="1:6: found the byte 0xff, which is not text; expected a LARS program"
    ):
        load_program(path)


def test_predicates_may_have_any_name(program, tmp_path):
    (tmp_path / "t.nq").write_text('<urn:a> <urn:b> <urn:c> <urn:s> "0" .\n')
    names = ("Near", "", "user'now", "is near", "ĝ", "now", "not", "_", "true", "x'at")
    atoms = [f"{write_name(name)}(X)" for name in names]
    rules = [f"{atom} ← ⊞^5 ◇ striple(X, Y, Z, G)." for atom in atoms]
    path = program("\n".join((*rules, f"'all of them'(X) ← {', '.join(atoms)}.")))
    (line,) = solve(path, tmp_path / "t.nq").lines
    (stream,) = line["answer_streams"]
    assert len(stream) == len(names) + 1


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("r(Y) :- q(X), Y = X * 2000000000.", "arithmetic of this rule leaves the numbers of ASP"),
        ("q(Y) :- q(X), Y = X + 1.", "this rule computes new values from its own values"),
    ],
)
def test_errors_of_arithmetic_have_the_place_of_the_rule(program, tmp_path, monkeypatch, rule, problem):
    monkeypatch.setattr(encoding, "MOST_NUMBERS", 100)
    (tmp_path / "p.atoms").write_text("1: p(1).\n2: p(2).\n")
    path = program(f"% a comment\nq(X) :- p(X).\n  {rule}")
    code, _, err = solve(path, tmp_path / "p.atoms", "-q")
    assert code == 2
    assert err.startswith(f"lars: {path}:3:3: {problem}")
    assert err.endswith(f"\n    {rule}\n    ^\n")
