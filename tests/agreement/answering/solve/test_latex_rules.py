"""`lars translate --format latex`: what is printed is LaTeX, whatever names and texts a program has."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.answering.solve.latex_rules import latex_rules
from lars.language.formulas import Diamond, In
from lars.language.program import Program, Rule
from lars.language.terms import Atom, Iri, Literal, Variable
from lars.language.windows import TimeWindow, TupleWindow
from lars.text import read
from tests.agreement.command import lars
from tests.packs import ROOT, SAMPLES

COMMANDS = {
    *("begin", "end", "textit", "textrm", "text", "mathrm", "mathrel", "boxplus", "Diamond", "Box", "neg"),
    *("leq", "geq", "neq", "wedge", "vee", "leftarrow", "infty", "qquad"),
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
}
QUERIES = sorted((ROOT / "samples").glob("*/query.*.rq"))


def check(text):
    """Assert that TeX would not stop: no unknown command, open group, or bare character with a meaning."""
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert lines[0] == r"\begin{align*}"
    assert lines[-1] == r"\end{align*}"
    assert not set(text) & set("⊞◇□←¬∞")
    for line in lines[1:-1]:
        body = line.removesuffix(r" \\")
        assert body.startswith("& ")
        assert set(re.findall(r"\\([A-Za-z]+)", re.sub(r"\\\\", "", body))) <= COMMANDS
        bare = re.sub(r"\\[&%$#_{},; ]|\\[A-Za-z]+", "", body[1:])
        assert not set(re.sub(r"[_^](?=\{)", "", bare)) & set("\\%#$&~_^")
        depth = 0
        for brace in re.findall(r"[{}]", bare):
            depth += 1 if brace == "{" else -1
            assert depth >= 0
        assert depth == 0


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.parametrize("mode", ["push", "pull"])
def test_the_samples_are_latex(path, mode):
    options = ["--period", "5"] if mode == "pull" else []
    ran = lars("translate", path, "--mode", mode, "--unit", "1s", *options, "--format", "latex", "-q")
    assert ran.code == 0, ran.err
    check(ran.out)


def test_a_rule_is_written_as_in_papers():
    text = "p(X) ← ⊞^{3,0,3} ◇ q(X, <http://example.org/a#b_c>), not ⊞^{#2} □ r(7), X != 3."
    *_, rule, end = latex_rules(read(text, "x"))
    assert end == r"\end{align*}"
    assert rule == (
        r"& \textit{p}(\textit{X}) \leftarrow "
        r"\boxplus^{3,0,3} \Diamond \textit{q}(\textit{X}, \textit{b\_c}),\; "
        r"\mathrm{not}\;\boxplus^{\#2} \Box \textit{r}(7),\; \textit{X} \neq 3."
    )


def test_the_words_of_an_aggregate_stay_apart():
    """Math mode joins words that only a space parts."""
    text = "big(R) ← ⊞^5 ◇ room(R), N := COUNT(DISTINCT X) of p(X, R) by R, N > 3, 'by'(R, of)."
    *_, rule, _ = latex_rules(read(text, "x"))
    assert (
        r"\mathrm{COUNT}(\mathrm{DISTINCT}\ \textit{X})\ \mathrm{of}\ \textit{p}(\textit{X}, \textit{R})\ "
        r"\mathrm{by}\ \textit{R}"
    ) in rule
    assert r"\textit{of})" in rule
    assert not re.search(r"(?<!:=)\} \\(?:textit|mathrm)\{", rule)


def test_names_in_quotes_keep_their_blanks_and_signs():
    *_, rule, _ = latex_rules(read("ans1'('New York') ← q('a%b', 'not'), r(X), X != 'a, b'.", "x"))
    assert rule == (
        r"& \textit{ans}_{1}\textrm{'}(\textrm{'New York'}) \leftarrow "
        r"\textit{q}(\textrm{'a\%b'}, \textrm{'not'}),\; \textit{r}(\textit{X}),\; "
        r"\textit{X} \neq \textrm{'a, b'}."
    )


def test_two_iris_never_have_one_name():
    names = ("http://e/x'", "http://e/a#x", "http://e/b#x", "http://e/x/")
    atoms = tuple(Atom("p", (Iri(name),)) for name in names)
    rules = "\n".join(latex_rules(Program((Rule(Atom("q", ()), atoms),))))
    shown = re.findall(r"textit\{p\}\(\\textit\{(.*?)\}\)", rules)
    assert len(set(shown)) == len(names)
    assert [line for line in rules.splitlines() if line.startswith("% ")][1:] == [
        f"% {name}: {iri}" for name, iri in zip(shown, names, strict=True)
    ]


NAMES = st.text(st.characters(codec="ascii", categories=["P", "S", "L", "N"]), max_size=12)


@given(st.text(max_size=20), NAMES)
def test_any_text_and_any_iri_are_escaped(text, name):
    iri = Iri(f"http://e/{name}")
    atom = Atom("p_1", (Literal(text), iri, Variable("x_y"), Literal("a", f"http://t/{name}")))
    body = (In(TimeWindow(3), Diamond(atom)), In(TupleWindow(2), atom))
    check("\n".join(latex_rules(Program((Rule(Atom("h_2", ()), body), Rule(atom, ()))))))


def test_a_program_in_a_file_is_written_too():
    ran = lars("translate", SAMPLES / "door/door.lars", "--format", "latex")
    assert ran.code == 0, ran.err
    check(ran.out)
