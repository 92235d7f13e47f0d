"""Each formula and window of the logic's manual is read, and is what its other form is."""

import re

import pytest

from lars.text import read_reasoner_program
from lars.text.notation import read, write
from tests.manuals.pages import PAGES, rows, snippets
from tests.manuals.running import run

FORMULAS = rows(
    "lars/README.md", "| formula in a rule body | in ASCII | the formula holds at time point t if |"
)
WINDOWS = rows("lars/README.md", "| window | time points or atoms that the window contains at time point t |")


REASONERS = rows("lars/README.md", "| atom | meaning | LARS |")


@pytest.mark.parametrize("row", REASONERS, ids=lambda row: row[0])
def test_each_atom_of_other_reasoners_is_read_as_what_the_table_says(row):
    (text,) = snippets(row[0])
    counts = (f"p(X) {word} in [5 sec]" for word in snippets(row[1]))
    for atom in (text, *counts):
        program = read_reasoner_program(f"ans(X) :- {atom}, q(X), n(N).", "p")
        assert [formula in str(program) for formula in snippets(row[2])] == [True] * len(snippets(row[2]))


def in_a_rule(literal):
    """Return the program of one rule that holds the literal, with p for α."""
    return read(f"ans :- q(X, Y, T, ?v, ?x), {literal.replace('α', 'p')}.")


def shown(cell):
    return [found for found in snippets(cell) if "…" not in found]


@pytest.mark.parametrize("row", FORMULAS, ids=lambda row: row[0])
def test_each_formula_of_the_language_reads_as_its_ascii(row):
    given, plain = shown(row[0]), shown(row[1])
    for text, same in zip(given, plain, strict=False):
        assert in_a_rule(text) == in_a_rule(f"{same} α" if same in ("not", "~") else same)
    assert [in_a_rule(text).rules for text in given]


@pytest.mark.parametrize("row", WINDOWS, ids=lambda row: row[0])
def test_each_window_of_the_language_is_read_and_written(row):
    for text in (text for text in shown(row[0]) if text.startswith("⊞")):
        program = read(f"p ← {text.replace('l,u,d', '30,0,5')} ◇ q.")
        assert read(write(program)) == read(write(program, ascii=True)) == program


def test_other_names_of_a_window_mean_the_same():
    assert read("p ← ⊞^now ◇ q.") == read("p ← ⊞^0 ◇ q.")
    assert read("p ← ⊞^inf ◇ q.") == read("p ← ⊞^∞ ◇ q.")


def test_a_csv_line_is_an_element_of_a_stream_of_atoms(tmp_path):
    (cell,) = re.findall(r"columns `t,atom` \(`(.*?)`\)", PAGES["lars/README.md"])
    (tmp_path / "s.csv").write_text(f"t,atom\n{cell}\n", encoding="utf-8")
    (tmp_path / "p.lars").write_text("gone(X) ← leave(X).", encoding="utf-8")
    assert run("lars solve p.lars s.csv --from 6", tmp_path) == (0, "6: {gone(ann)}\n")


def test_an_atom_that_supports_itself_under_two_negations_gets_both_verdicts(tmp_path):
    (rule,) = re.findall(r"two negations \(`(.*?)`\)", PAGES["lars/README.md"].replace("\n", " "))
    (tmp_path / "p.lars").write_text(rule, encoding="utf-8")
    (tmp_path / "s.atoms").write_text("1: q.\n2:\n", encoding="utf-8")
    (tmp_path / "claim.atoms").write_text("2: p.\n", encoding="utf-8")
    assert "warning: " in run("lars solve p.lars s.atoms > out", tmp_path)[1]
    out = run("lars check p.lars s.atoms --at 2 --answer claim.atoms", tmp_path)[1]
    assert "NOT an answer stream" in out
    assert "under the founded reading" in out


@pytest.mark.parametrize("option", ["--mode push", "--bounds closed"])
def test_options_of_queries_are_refused_for_programs(option, tmp_path):
    (tmp_path / "p.lars").write_text("gone(X) ← leave(X).", encoding="utf-8")
    assert run(f"lars translate p.lars {option}", tmp_path)[0] == 2
