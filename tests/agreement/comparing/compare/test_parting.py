"""What is named as parting two sides, on an engine of which every report is written down."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from agreement.comparing.compare import Pairing
from agreement.comparing.matching.likeness import Likeness
from agreement.documents.recordings import Recording, Report
from agreement.engines.engine import EngineRule
from lars.durations import MILLISECOND
from lars.errors import LarsError

RUN = SimpleNamespace(pushes=(), unit=MILLISECOND)
FIXED = SimpleNamespace(name="fixed", who=None, timed=True, switches=(), reports=lambda *_: recording("ab"))
EXAMPLES = {
    "one undoes it, another makes it smaller": ({"": "", "1": "ab", "2": "a", "12": "ab"}, "1", True, False),
    "each of two undoes it": ({"": "", "1": "ab", "2": "ab", "12": "ab"}, "12", True, False),
    "two make it smaller, together they undo it": (
        {"": "", "1": "a", "2": "b", "12": "ab", "123": "ab"},
        "12",
        True,
        False,
    ),
    "one makes it smaller, and nothing does more": ({"": "", "1": "a", "123": "a"}, "1", False, False),
    "no single one, but two together": ({"": "", "13": "ab", "123": "ab"}, "13", True, True),
    "one makes it smaller, with another it is undone": (
        {"": "", "2": "a", "23": "ab", "123": "ab"},
        "23",
        True,
        True,
    ),
    "all of them": ({"": "", "123": "ab"}, "123", True, True),
    "two together, in part": ({"": "", "12": "b", "123": "b"}, "12", False, True),
    "nothing": ({"": ""}, "", False, False),
    "a change for the worse": ({"": "a", "1": "", "2": "xyz"}, "", False, False),
    "one that cannot be run without it": ({"": "", "1": None, "2": "ab"}, "2", True, False),
}
"""The rows with each set of rules off, as letters; those of other sets are as with all rules on."""


def recording(letters):
    return Recording(("x",), (Report(0, tuple((f"<x:{one}>",) for one in letters), trigger=0),))


@dataclass
class Written:
    """A side with the rules 1, 2 and 3."""

    rows: dict[str, str | None]
    name: str = "written"
    who = None
    timed = True
    switches: tuple[EngineRule, ...] = (
        EngineRule("1", "one"),
        EngineRule("2", "two"),
        EngineRule("3", "three"),
    )

    def reports(self, _, switched):
        rows = self.rows.get("".join(sorted(switched)), self.rows[""])
        if rows is None:
            raise LarsError("cannot be run")
        return recording(rows)


def parted(*sides):
    return Pairing(sides, (RUN, RUN), Likeness()).explained()


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_parts_two_sides_is_named(example):
    rows, names, undone, together = EXAMPLES[example]
    (found,) = parted(FIXED, Written(rows))
    assert "".join(cause.rule.name for cause in found.causes) == names
    assert (found.undone, found.together) == (undone, together)


def test_rules_of_both_sides_can_be_needed_together():
    class Other(Written):
        def reports(self, _, switched):
            return recording("ab" if "1" in switched else "c")

    rows = {"": "", "2": "ab", "12": "ab", "23": "ab", "123": "ab"}
    (found,) = parted(Other({}, "other"), Written(rows))
    assert [(cause.profile, cause.rule.name) for cause in found.causes] == [("other", "1"), ("written", "2")]
    assert found.undone


def test_a_query_that_a_side_cannot_run_is_an_error_when_nothing_is_changed():
    with pytest.raises(LarsError):
        parted(FIXED, Written({"": None}))
