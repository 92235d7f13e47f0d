"""Keys of rows, codes of terms, atoms in columns: what was put in comes out."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.errors import FailedRunError, LarsError
from lars.language.terms import NULL, XSD, Iri, Number
from lars.language.windows import LARGEST_TIME, Interval
from solver.columns import (
    NULL_CODE,
    InputAtoms,
    TermCodes,
    arrays,
    arrow_strings,
    atoms_by_predicate,
    coded_columns,
    hashing,
    in_time_order,
    keys,
    trace_columns,
)
from solver.columns.hashing import add_hashes, found_hashes, hash_table, text_hashes
from solver.facts import Fact
from tests.solver.strategies import part_of

_rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**40)), max_size=8)


@part_of(0.3)
@given(_rows, _rows, st.sampled_from([1, 10]), st.sampled_from([10, 2**62]))
def test_rows_have_one_key_exactly_if_they_are_equal(left, right, room, most):
    sides = [[np.array([row[place] for row in rows], np.int64) for place in (0, 1)] for rows in (left, right)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_GREATEST_KEY", max(most, 200 * room))
        found = [key for side in keys(sides, [len(left), len(right)], room) for key in side.tolist()]
    rows = left + right
    assert all(
        (a == b) == (x == y)
        for a, x in zip(rows, found, strict=True)
        for b, y in zip(rows, found, strict=True)
    )
    assert all(0 <= key * room < 2**63 for key in found)


def test_an_equal_atom_at_the_same_time_is_no_first_arrival():
    atoms = InputAtoms(np.array([1, 1, 2, 1]), np.arange(4), (np.array([5, 5, 5, 6]),))
    assert atoms.first_arrivals().tolist() == [True, False, True, True]
    assert atoms.take(atoms.first_arrivals()).arrival.tolist() == [0, 2, 3]


@pytest.mark.parametrize("parts", [[], [[]], [[], [5]], [[5], []], [[5], [], [7, 5]]])
def test_lists_of_arrow_are_the_arrays_that_they_were(parts):
    """Also if there is one array beside empty ones, which is not copied."""
    found = arrays.arrow_lists([arrays.arrow_numbers(np.array(part, np.int64)) for part in parts], pa.int64())
    assert (found.type, found.to_pylist()) == (pa.list_(pa.int64()), parts)


def test_atoms_are_parted_by_predicate_and_arity_in_the_order_of_time_and_arrival():
    found = atoms_by_predicate(
        np.array([3, 1, 1, 1]), ["f", "f", "g", "f"], np.array([1, 1, 0, 2]), np.array([7, 8, 9, 7])
    )
    shown = {
        name: (a.t.tolist(), a.arrival.tolist(), [c.tolist() for c in a.columns]) for name, a in found.items()
    }
    assert shown == {
        ("f", 1): ([1, 3], [0, 3], [[8, 7]]),
        ("g", 0): ([1], [1], []),
        ("f", 2): ([1], [2], [[9], [7]]),
    }


def test_codes_stand_for_texts_and_constants():
    codes = TermCodes()
    assert codes.codes(["3", "<x:a>", "null", "3"]).tolist() == [1, 2, NULL_CODE, 1]
    assert [codes.constant(code) for code in (0, 1, 2)] == [NULL, Number(3), Iri("x:a")]
    values, known = codes.numbers(np.array([2, 1, 0]))
    assert (values.tolist(), known.tolist()) == ([0, 3, 0], [False, True, False])
    assert codes.texts(codes.of_numbers(np.array([4, 3])).tolist()) == ["4", "3"]


_atoms = st.lists(st.tuples(st.integers(0, 3) | st.just(2**53), st.booleans(), st.integers(0, 3)), max_size=8)


@given(_atoms, st.randoms(use_true_random=False), st.booleans())
def test_atoms_in_the_order_of_time_then_of_arrival_have_new_numbers_in_this_order(rows, draw, late):
    arrivals = draw.sample(range(len(rows)), len(rows)) if late else [*range(len(rows))]
    listed = [
        (t, (t + wait if late else t), number, own)
        for (t, own, wait), number in zip(rows, arrivals, strict=True)
    ]
    parts = {}
    for own in {own for *_, own in listed}:
        t, since, number = np.array([row[:3] for row in listed if row[3] == own], np.int64).T
        parts["p" if own else "q", 1] = InputAtoms(t, number, (number,), since if late else None)
    found = in_time_order(parts)
    expected = {
        number: place for place, (_, _, number, _) in enumerate(sorted(listed, key=lambda row: row[:3]))
    }
    for some in found.values():
        assert (some.t[1:] >= some.t[:-1]).all()
        assert some.arrival.tolist() == [expected[number] for number in some.columns[0].tolist()]
        assert (np.diff(some.arrival) > 0).all()


_texts = st.lists(st.sampled_from([*(f"<x:{n}>" for n in range(9)), '"\u00e4"', "null"]), unique=True)


@part_of(0.5)
@given(
    st.lists(st.tuples(st.booleans(), _texts), max_size=6),
    _texts,
    st.sampled_from((0, 2, 2**9)),
    st.sampled_from((1, 2**40, 2**64 - 1)),
)
def test_terms_whose_texts_stay_in_arrow_have_the_codes_of_others(steps, last, lookup, mask):
    """Also if few bits tell hashes apart."""
    packed, plain = TermCodes(), TermCodes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_columns, "_FEW_TEXTS", 1)
        patch.setattr(coded_columns, "_LOOKUP", lookup)
        patch.setattr(hashing, "text_hashes", lambda texts: text_hashes(texts) & np.uint64(mask))
        for in_arrow, texts in steps:
            found = packed.codes_of_arrow(arrow_strings(texts)) if in_arrow else packed.codes(texts)
            assert found.tolist() == plain.codes(texts).tolist()
            assert len(packed) == len(plain)
        every = np.arange(len(plain))
        for codes in (every[:1], every[::-1], np.concatenate((every, every))):
            assert packed.arrow(codes).to_pylist() == plain.atom_texts(codes)
        assert packed.texts(every[::2].tolist()) == plain.texts(every[::2].tolist())
        assert [packed.constant(code) for code in every.tolist()] == plain.constants(every)
        assert [packed.code(text) for text in last[:2]] == plain.codes(last[:2]).tolist()
        assert packed.codes(last).tolist() == plain.codes(last).tolist()
        # Pickling copies all texts from Arrow, so that comes last.
        for codes in (packed, pickle.loads(pickle.dumps(packed))):
            assert codes.ranks(every).tolist() == plain.ranks(every).tolist()
            assert codes.code("<x:other>") == plain.code("<x:other>")


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 16, 511, 512, 513, 2000])
def test_hashes_depend_on_each_byte_and_on_the_length_alone(length):
    """And not on the bytes beside a text in its array."""
    texts = ["x" * length, "x" * (length + 1)]
    texts += [f"{'x' * place}y{'x' * (length - place - 1)}" for place in range(0, length, 1 + length // 99)]
    hashes = text_hashes(arrow_strings(texts)).tolist()
    assert len(set(hashes)) == len(texts)
    assert text_hashes(arrow_strings(["z", *texts[::-1], "z"])[1:-1]).tolist() == hashes[::-1]


def test_many_hashes_with_one_place_in_the_table_are_found():
    hashes = np.arange(1000, dtype=np.uint64)
    slots = hash_table(hashes[:600])
    add_hashes(slots, hashes[600:], 600)
    assert found_hashes(slots, hashes, hashes[::-1]).tolist() == [*range(1000)][::-1]
    assert found_hashes(slots, hashes, hashes[:3] + np.uint64(1000)).tolist() == [-1] * 3


@pytest.mark.parametrize("far", [2**53, 2**63, 10**30])
def test_atoms_are_found_in_intervals_of_any_length(far):
    times = np.array([0, 2**53, 2**53 + 1, LARGEST_TIME])
    atoms = InputAtoms(times, np.arange(4), ())
    assert atoms.within(Interval(-far, far)).t.tolist() == [t for t in times.tolist() if t <= far]
    late = [t for t in times.tolist() if 2**53 < t <= far]
    assert atoms.within(Interval(2**53 + 1, far)).t.tolist() == late
    assert atoms.near(times[:1], far, far).t.tolist() == [t for t in times.tolist() if t <= far]


def test_an_atom_later_than_the_largest_time_is_refused():
    assert trace_columns([Fact(LARGEST_TIME, "e", ())]).last == LARGEST_TIME
    with pytest.raises(LarsError, match=f"arrives at {LARGEST_TIME + 1}; expected"):
        trace_columns([Fact(LARGEST_TIME + 1, "e", ())])


def test_rows_of_one_column_are_their_own_keys_as_far_as_there_is_room():
    column = np.array([7, 2**40, 2**62 - 1])
    assert keys([[column]], [3], 1)[0].tolist() == column.tolist()
    assert keys([[column]], [3], 2)[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("number", [-(2**31), 2**31 - 1])
def test_numbers_of_the_logic_have_codes_up_to_32_bit_and_none_beyond(number):
    codes = TermCodes()
    found = codes.of_numbers(np.array([number]))
    assert codes.numbers(found)[0].tolist() == [number]
    with pytest.raises(LarsError, match="32 bit"):
        codes.of_numbers(np.array([number + (1 if number > 0 else -1)]))


def test_whole_numbers_are_doubles_as_far_as_these_tell_them_apart():
    codes = TermCodes()
    texts = [f'"{2**53 + more}"^^<{XSD}integer>' for more in (-1, 0, 1)]
    assert codes.doubles(codes.codes(texts))[1].tolist() == [True, True, False]


@pytest.mark.parametrize("t", [0, 2**31, 2**40 + 3, 2**53 + 1, LARGEST_TIME])
def test_facts_arrive_in_columns_at_the_times_that_they_have(t):
    trace = trace_columns([Fact(t, "q", ("<urn:a>",))])
    assert trace.atoms["q", 1].t.tolist() == [t]


def test_texts_that_arrow_cannot_count_are_refused():
    with pytest.raises(FailedRunError, match="2,147,483,648 bytes of text"):
        arrays.arrow_texts(b"", np.array([0, 2**31]))


@pytest.mark.parametrize("packed", [False, True])
def test_the_term_that_represents_others_is_of_their_kind(packed, monkeypatch):
    texts = [
        made
        for number in range(40)
        for made in (
            f"<x:{number}>",
            f"_:b{number}",
            f'"é{number}"@en',
            f'<<( <x:a> <x:b> "{number}" )>>',
            str(number),
            f"_s{number}",
        )
    ]
    codes = TermCodes()
    if packed:
        monkeypatch.setattr(coded_columns, "_FEW_TEXTS", 1)
        codes.codes_of_arrow(arrow_strings(texts[:70]))
        codes.codes(texts[70:80])
        codes.codes_of_arrow(arrow_strings(texts[80:]))
    assert max(codes.codes(texts[70:] if packed else texts)) == len(texts)
    for some in ([], [NULL_CODE], [*range(len(texts), -1, -3), *range(len(texts))]):
        of_kinds = codes.of_kinds(np.array(some, np.int64))
        kinds = [[*map(type, codes.constants(each))] for each in (np.array(some, np.int64), of_kinds)]
        assert kinds[0] == kinds[1]
    assert len(set(of_kinds.tolist())) < len(texts) / 3
