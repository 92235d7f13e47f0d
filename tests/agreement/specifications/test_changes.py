"""ISTREAM and DSTREAM from where answers begin and end, against the difference of whole answers."""

from hypothesis import event, given
from hypothesis import strategies as st

from agreement.r2s import streamed
from agreement.specifications.evaluation import changes
from lars.terms import Variable
from solver.job import Stretch
from translate.query import ToStream
from translate.tau import Output

TICKS = (3, 5, 8, 8, 9, 14)
ends = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(sorted)
rows = st.tuples(st.sampled_from("abc"), st.sampled_from("wv"))
kinds = st.sampled_from((ToStream.ISTREAM, ToStream.DSTREAM))


@st.composite
def answers(draw):
    """The ticks at which each raw row, a term and a witness, is an answer."""
    found = {}
    for row, (first, last) in draw(st.lists(st.tuples(rows, ends), max_size=8)):
        found.setdefault(row, set()).update(TICKS[first : last + 1])
    return found


def stretches_of(found):
    """Return each maximal run of ticks as one stretch."""
    distinct = sorted(set(TICKS))
    for row, ticks in found.items():
        run = []
        for tick in [*distinct, None]:
            if tick in ticks:
                run.append(tick)
            elif run:
                yield Stretch(0, row, run[0], run[-1])
                run = []


@given(answers(), kinds, st.booleans())
def test_changes_are_the_differences_of_the_answers(found, kind, bag):
    output = Output((Variable("x"),), 2, bag=bag)
    whole = {
        n: sorted(output.shown([row for row, ticks in found.items() if tick in ticks]))
        for n, tick in enumerate(TICKS)
    }
    expected = streamed(kind, range(len(TICKS)), whole)
    event("changes" if any(expected.values()) else "none")
    reported = changes(kind, TICKS, stretches_of(found), output)
    assert {n: sorted(reported.get(n, [])) for n in range(len(TICKS))} == {
        n: sorted(rows) for n, rows in expected.items()
    }
