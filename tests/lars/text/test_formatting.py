"""The formatter: one way to write a program, nothing lost, and formatting twice is formatting once."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import PlacedError
from lars.language.program import Program
from lars.text import Scanner, format_program, to_ascii
from lars.text.formatting import COLUMNS
from lars.text.notation import PIECE, Prefix, read, statements
from tests.lars.written import written_programs
from tests.solver.strategies import part_of

XSD = "x: <http://www.w3.org/2001/XMLSchema#>"
ODD = ("all: <urn:>", "by: <http://ex/>", "not: <urn:>", "true: <urn:>", "eé: <urn:>")
PREFIXES = ("e: <http://ex/>", "u: <urn:>", ": <http://ex/>", XSD, *ODD)
blanks = st.sampled_from(
    (" ", " ", " ", "  ", "\n", "\t", "\r\n", "\n\n\n", " % why\n", "%\n", "\n% ⊞ é \n\n")
)


@st.composite
def messy_texts(draw):
    """Texts of programs with prefixes, comments and odd spacing wherever a blank stands."""
    found = []
    for rule in draw(written_programs()).rules:
        if draw(st.booleans()):
            found.append(f"@prefix {draw(st.sampled_from(PREFIXES))} . ")
        found += [str(rule) if draw(st.booleans()) else to_ascii(str(rule)), " "]
    inside = [piece.span() for piece in PIECE.finditer("".join(found)) if len(piece.group()) > 1]
    parts = list("".join(found))
    for at, one in enumerate(parts):
        if one == " " and not any(start <= at < end for start, end in inside):
            parts[at] = draw(blanks)
    first = draw(st.sampled_from(("", "\n\n", "% first\n", "  ")))
    return first + "".join(parts) + draw(st.sampled_from(("", "\n", "% last", "\n\n% last\n")))


def comments(text):
    scanner = Scanner(text, "")
    found = [one.content for one in statements(scanner)]
    return Counter(scanner.comments.values()), [one for one in found if isinstance(one, Prefix)]


@part_of(0.5)
@given(messy_texts(), st.booleans())
def test_formatting_keeps_the_program_the_comments_and_the_prefixes(text, plain):
    found = format_program(text, ascii=plain)
    assert read(found) == read(text)
    assert comments(found) == comments(text)


@given(messy_texts(), st.booleans(), st.booleans())
def test_formatting_twice_is_formatting_once(text, first, plain):
    found = format_program(text, ascii=plain)
    assert format_program(found, ascii=plain) == found
    assert format_program(format_program(text, ascii=first), ascii=plain) == found


@given(messy_texts())
def test_blank_lines_are_single_and_inside_only(text):
    found = format_program(text)
    assert "\n\n\n" not in found
    assert not found.startswith("\n")
    assert not found.endswith("\n\n")


@given(messy_texts())
def test_ascii_but_for_the_comments(text):
    scanner = Scanner(format_program(text, ascii=True), "")
    list(statements(scanner))
    for at, comment in sorted(scanner.comments.items(), reverse=True):
        scanner.text = scanner.text[:at] + scanner.text[at + len(comment) :]
    assert scanner.text.isascii()


@given(written_programs())
def test_a_line_is_long_only_when_nothing_in_it_can_be_broken(program):
    for line in format_program(str(program)).splitlines():
        assert len(line) <= COLUMNS or line.startswith("    ") or line.endswith("←") or "←" not in line


def test_the_text_does_not_change_when_it_is_formatted():
    text = """\
% What is near.

@prefix e: <http://ex/> . % mine
near(X) ← ⊞^5 ◇ striple(U, e:isNear, X, G). % why

% Own lines stay.
gone(X) ← ⊞^30 ◇ striple(U, e:isNear, X, G), not near(X).
% the end
"""
    assert format_program(text) == text


def test_comments_inside_a_rule_move_above_it():
    text = "p.\n\nq :- % one\n  r, % two\n\n  s. % three\n"
    assert format_program(text) == "p.\n\n% one\n% two\nq ← r, s. % three\n"


def test_statements_get_a_line_each_and_the_comment_stays_with_the_last():
    assert format_program("p. q.% both\n%own\nr.") == "p.\nq. % both\n%own\nr.\n"


def test_long_rules_are_broken_behind_the_arrow():
    body = [f"some_predicate(X{n}, Y{n}, Z{n})" for n in range(5)]
    assert format_program(f"p ← {', '.join(body)}.") == "p ←\n    " + ",\n    ".join(body) + ".\n"
    assert format_program(f"← {', '.join(body)}.", ascii=True).startswith(":-\n    some_predicate(X0, ")


@pytest.mark.parametrize(
    ("iri", "shown"),
    [
        ("<http://ex/a>", "e:a"),
        ("<http://ex/a.b-c>", "e:a.b-c"),
        ("<http://ex/a.>", "<http://ex/a.>"),
        ("<http://ex/a/b>", "f:b"),
        ("<http://ex/>", "<http://ex/>"),
        ("<http://ex/a\\u0020b>", "<http://ex/a\\u0020b>"),
        ("<urn:a>", "<urn:a>"),
        ('"1"^^<http://ex/int>', '"1"^^e:int'),
        ('"<http://ex/a>"', '"<http://ex/a>"'),
        ("'<http://ex/a>'", "'<http://ex/a>'"),
    ],
)
def test_iris_are_shortened_where_they_are_read_back(iri, shown):
    head = "@prefix e: <http://ex/> .\n@prefix f: <http://ex/a/> .\n"
    assert format_program(f"{head}p({iri}).") == f"{head}p({shown}).\n"


def test_iris_in_windows_and_conditions_are_shortened():
    head = "@prefix e: <http://ex/> .\n"
    rule = "p(?x) ← ⊞^{{#5 {s}}} ◇ q(?x), [{f}(?x) = {s}]."
    long = rule.format(s="<http://ex/s>", f="<http://ex/f>")
    assert format_program(head + long) == f"{head}{rule.format(s='e:s', f='e:f')}\n"


def test_a_prefix_counts_from_its_declaration_on_and_can_change():
    first = "p(<http://a/x>).\n@prefix e: <http://a/> .\np(e:x).\n"
    text = first + "@prefix e: <http://b/> .\np(<http://a/x>, e:x).\n"
    assert format_program(text) == text


def test_rules_that_are_not_safe_are_formatted_too():
    assert format_program("p(X):-not q(X).") == "p(X) ← not q(X).\n"


def test_nothing_gives_nothing():
    assert format_program(" \n\n") == ""
    assert read(format_program("% only")) == Program(())
    assert format_program("\ufeff% only") == "% only\n"


def test_what_is_no_program_has_a_place():
    with pytest.raises(PlacedError, match=r"a\.lars:2:3"):
        format_program("p.\nq r.", "a.lars")
