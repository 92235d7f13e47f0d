"""Frozen classes are the standard library's, but for the time that it takes to make them."""

import dataclasses
import pickle
from copy import copy
from itertools import product
from operator import ge, gt, le, lt

import pytest

from lars.dataclass import dataclass


def both(make, **how):
    """Return the same class twice: by our decorator and by the standard library's."""
    return [decorator(frozen=True, **how)(make()) for decorator in (dataclass, dataclasses.dataclass)]


def base():
    class Pair:
        """Fields of all kinds."""

        left: int
        right: str = "r"
        some: list = dataclasses.field(default_factory=list, repr=False)
        note: str = dataclasses.field(default="", compare=False, kw_only=True)
        seen: dict = dataclasses.field(default_factory=dict, init=False, compare=False)
        kept: int = dataclasses.field(default=7, init=False)

        def __post_init__(self):
            self.seen["made"] = self.left

    return Pair


def own_methods():
    class Name:  # noqa: PLW1641  (the decorator adds it)
        """A class with methods of its own."""

        text: str

        def __eq__(self, other):
            return self.text.lower() == other.text.lower()

        def __repr__(self):
            return f"<{self.text}>"

    return Name


GIVEN = [((1,), {}), ((1, "a"), {}), ((1, "a", [2]), {"note": "x"}), ((2,), {"right": "b", "note": "y"})]


@pytest.mark.parametrize("slots", [False, True])
def test_fields_texts_and_matches_are_those_of_the_standard_library(slots):
    ours, theirs = both(base, slots=slots)
    for args, keywords in GIVEN:
        one, other = ours(*args, **keywords), theirs(*args, **keywords)
        assert repr(one) == repr(other)
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        assert repr(dataclasses.replace(one, left=9)) == repr(dataclasses.replace(other, left=9))
    assert ours.__match_args__ == theirs.__match_args__
    assert [field.name for field in dataclasses.fields(ours)] == [
        field.name for field in dataclasses.fields(theirs)
    ]


@pytest.mark.parametrize("how", [{}, {"eq": False}, {"order": True}, {"order": True, "slots": True}])
def test_comparisons_and_hashes_are_those_of_the_standard_library(how):
    def shape():
        class Pair:
            """Two compared fields."""

            left: int
            right: tuple = ()
            note: str = dataclasses.field(default="", compare=False)

        return Pair

    ours, theirs = both(shape, **how)
    values = [(1,), (1, (2,)), (2, (), "n"), (1, (2,), "m")]
    for one, other in product(range(4), repeat=2):
        pairs = [(kind(*values[one]), kind(*values[other])) for kind in (ours, theirs)]
        assert len({left == right for left, right in pairs}) == 1
        if how.get("eq", True):
            assert hash(pairs[0][0]) == hash(pairs[1][0])
        for compares in (lt, le, gt, ge) if "order" in how else ():
            assert len({compares(left, right) for left, right in pairs}) == 1
    assert ours(1) != theirs(1)


@pytest.mark.parametrize("slots", [False, True])
def test_a_method_is_compiled_when_it_is_first_called(slots):
    ours = both(base, slots=slots)[0]
    names = {"__init__": lambda: ours(1), "__eq__": lambda: ours(1) == ours(2)}
    for name, call in names.items():
        waiting = vars(ours)[name]
        call()
        compiled = vars(ours)[name]
        call()
        assert waiting is not compiled
        assert vars(ours)[name] is compiled


@pytest.mark.parametrize("slots", [False, True])
def test_a_method_of_the_class_is_kept(slots):
    ours, theirs = both(own_methods, slots=slots)
    assert ours("A") == ours("a")
    assert repr(ours("A")) == repr(theirs("A"))
    assert hash(ours("A")) == hash(theirs("A"))


@pytest.mark.parametrize("slots", [False, True])
def test_a_field_cannot_be_assigned_or_deleted(slots):
    for kind in both(base, slots=slots):
        value = kind(1)
        for change in (
            lambda value=value: setattr(value, "left", 2),
            lambda value=value: delattr(value, "left"),
        ):
            with pytest.raises(dataclasses.FrozenInstanceError, match="field 'left'"):
                change()
        assert value.left == 1


@pytest.mark.parametrize("slots", [False, True])
def test_what_init_refuses_it_refuses_too(slots):
    for kind in both(base, slots=slots):
        for args, keywords in (((), {}), ((1, 2, [], "note"), {}), ((1,), {"seen": {}})):
            with pytest.raises(TypeError):
                kind(*args, **keywords)


@dataclass(frozen=True, slots=True)
class Point:
    """A value that a task gets."""

    x: int
    y: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Place(Point):
    """A value with the fields of another one."""

    name: str = "here"


@pytest.mark.parametrize("value", [Point(1, 2), Place(1, 2, "there")])
def test_a_value_is_pickled_with_all_fields(value):
    for again in (pickle.loads(pickle.dumps(value)), copy(value)):
        assert dataclasses.astuple(again) == dataclasses.astuple(value)
        assert type(again) is type(value)
