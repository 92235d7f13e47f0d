"""Streams of atoms as text: what is written is read back, and errors have a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import PlacedError
from lars.language.stream import stream_of
from lars.language.terms import Atom, Iri, Number, Symbol
from lars.language.windows import Interval
from lars.text import read_stream
from tests.lars.written import any_constants, names, read_data_stream, write_stream

ground_atoms = st.builds(
    lambda name, arguments: Atom(name, tuple(arguments)), names, st.lists(any_constants, max_size=3)
)
arrivals = st.lists(st.tuples(st.integers(0, 20), ground_atoms), max_size=6).map(
    lambda found: sorted(found, key=lambda pair: pair[0])
)


@given(arrivals)
def test_reading_what_was_written_gives_the_arrivals_in_order(found):
    assert read_stream(write_stream(found)) == found


@given(arrivals, st.integers(20, 30))
def test_a_stream_is_read_back_with_the_end_of_its_timeline(found, last):
    stream = stream_of(Interval(0, last), found)
    assert read_data_stream(write_stream(stream)) == stream


def test_each_line_is_a_time_point():
    text = "@prefix e: <http://e/> .\n18: near(a), at(25, e:x) done. % so\n\n% no line\n50:\n"
    near, at = Atom("near", (Symbol("a"),)), Atom("at", (Number(25), Iri("http://e/x")))
    assert read_stream(text) == [(18, near), (18, at), (18, Atom("done"))]


def test_a_stream_written_is_one_line_a_time():
    found = [(3, Atom("p", (Symbol("New York"),))), (1, Atom("q")), (3, Atom("r"))]
    assert write_stream(found) == "1: q.\n3: p('New York') r.\n"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("1: p(X).", "s:1:6", "found “X”, expected a constant"),
        ("1: p\n2: q(", "s:2:6", "the end of the text"),
        ("1: p,", "s:1:6", "expected an atom"),
        ("1: p(a)q", "s:1:8", "a blank or comma after an atom"),
        ("1: p. q", "s:1:7", "the end of the line"),
        ("1 p", "s:1:3", "the : after a time"),
        ("2024-05-01T12:00:00Z: p", "s:1:5", "a table with the columns t,atom may have dateTimes"),
        ("-1: p", "s:1:1", "a time: an integer of at least 0"),
        ('1: p("a)', "s:1:6", "the quotation mark is not closed"),
        ("2: p\n1: q", "s:2:1", "the time 1 comes after the later time 2"),
        ("1: p\n@prefix e: <u:> .", "s:2:1", "each prefix declared once, before the first time"),
        ("@prefix e: <u:> .\n@prefix e: <v:> .", "s:2:1", "a new meaning of e:"),
    ],
)
def test_errors_name_the_place_and_what_is_accepted(text, place, words):
    with pytest.raises(PlacedError) as caught:
        read_stream(text, "s")
    assert str(caught.value.place) == place
    assert words in caught.value.problem


def test_a_line_can_declare_several_prefixes():
    text = "@prefix e: <http://e/> . @prefix f: <http://f/> .\n1: p(e:x, f:y).\n"
    assert read_stream(text) == [(1, Atom("p", (Iri("http://e/x"), Iri("http://f/y"))))]
