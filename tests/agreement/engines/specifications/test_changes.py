"""ISTREAM and DSTREAM from where answers begin and end, against the difference of whole answers."""

from hypothesis import event, given
from hypothesis import strategies as st

from agreement.engines.r2s import relation_to_stream
from agreement.engines.specifications.clock_answers import changes
from lars.language.terms import Variable
from translate.tau import Output

COUNT = 6
ends = st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)).map(sorted)
rows = st.tuples(st.sampled_from("abc"), st.sampled_from("wv"))
kinds = st.sampled_from(("ISTREAM", "DSTREAM"))


@st.composite
def answers(draw):
    """The evaluations at which each raw row, a term and a witness, is an answer."""
    found = {}
    for row, (first, last) in draw(st.lists(st.tuples(rows, ends), max_size=8)):
        found.setdefault(row, set()).update(range(first, last + 1))
    return found


def runs_of(found):
    """Return each row with the first and last number of each maximal run of evaluations."""
    for row, numbers in found.items():
        for first in sorted(n for n in numbers if n - 1 not in numbers):
            last = next(n for n in range(first, COUNT) if n + 1 not in numbers)
            yield row, first, last


@given(answers(), kinds, st.booleans())
def test_changes_are_the_differences_of_the_answers(found, kind, bag):
    output = Output((Variable("x"),), 2, bag=bag)
    whole = {
        n: sorted(output.answers([row for row, numbers in found.items() if n in numbers]))
        for n in range(COUNT)
    }
    expected = relation_to_stream(kind, range(COUNT), whole)
    event("changes" if any(expected.values()) else "none")
    reported = changes(kind, runs_of(found), COUNT, output)
    assert {n: sorted(reported.get(n, [])) for n in range(COUNT)} == {
        n: sorted(rows) for n, rows in expected.items()
    }
