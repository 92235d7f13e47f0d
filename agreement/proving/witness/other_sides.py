"""Two readings of one query as sides: its bounds, trigger, profile, operator or variant; both are pushed."""

import re
from dataclasses import dataclass, replace
from typing import Final, assert_never

from agreement.comparing.compare import reporter
from agreement.comparing.judge import ACCEPTED_JUDGES, is_judge
from agreement.engines.specifications import Specification
from agreement.proving.witness.profile_sides import NamedProfile
from lars.errors import LarsError
from lars.language.windows import Bounds
from solver.job import Question, ask
from solver.search import Contest, ReportKind
from translate.analysis import Choice, cq, model_of_cqels
from translate.model.query import EngineQuery, Profile, Setting, ToStream
from translate.tau import Trigger, lars_program, output_of, push

OneReading = Bounds | Trigger | Profile | ToStream | Choice
_KINDS: Final = (Bounds, Trigger, Profile, ToStream, Choice)
Sides = tuple[OneReading, OneReading] | tuple[NamedProfile, NamedProfile]
_START: Final = re.compile(r"(.+)@([0-9]{1,9})")


def read_sides(text: str) -> Sides:
    """Return the two readings of `closed,high-open`; raises LarsError for other texts.

    >>> read_sides("any,matching")
    (<Trigger.ANY: 'any'>, <Trigger.MATCHING: 'matching'>)
    """
    for kind in _KINDS:
        named = {one.value.lower(): one for one in kind}
        parts = text.lower().split(",")
        if len(set(parts)) == len(parts) == 2 and set(parts) <= named.keys():  # noqa: PLR2004
            return named[parts[0]], named[parts[1]]
    profiles = [_profile(part) for part in text.split(",")]
    match profiles:
        case [NamedProfile() as one, NamedProfile() as other] if one != other:
            return one, other
        case _:
            pass
    accepted = "; ".join(", ".join(one.value.lower() for one in kind) for kind in _KINDS)
    accepted += f"; {ACCEPTED_JUDGES}, a specification also with a start time, as rspql@4"
    raise LarsError(f"accepted: A,B, two of one of: {accepted}")


def _profile(text: str) -> NamedProfile | None:
    """Return the profile of a text like `cqels` or `rspql@4`, None where it is none."""
    found = _START.fullmatch(text)
    name, start = (text, None) if found is None else (found[1], int(found[2]))
    if not is_judge(name) or (start is not None and not isinstance(reporter(name), Specification)):
        return None
    return NamedProfile(name, start)


def two_readings(
    query: EngineQuery, sides: tuple[OneReading, OneReading], setting: Setting, trigger: Trigger
) -> Contest:
    """Return push of a query read in two ways, compared at each time point at which either evaluates."""
    left, right = (_Reading(query, setting, trigger).read(side) for side in sides)
    return Contest(left.question, right.question, 1, kinds=(left.kind, right.kind))


_REPORTED: Final = {
    ToStream.RSTREAM: ReportKind.ALL,
    ToStream.ISTREAM: ReportKind.NEW,
    ToStream.DSTREAM: ReportKind.GONE,
}


@dataclass(frozen=True, slots=True)
class _Reading:
    query: EngineQuery
    setting: Setting
    trigger: Trigger
    kind: ReportKind = ReportKind.ALL

    def read(self, side: OneReading) -> "_Reading":
        match side:
            case Bounds():
                return replace(self, setting=replace(self.setting, bounds=side))
            case Profile():
                return replace(self, setting=replace(self.setting, profile=side))
            case Trigger():
                return replace(self, trigger=side)
            case ToStream():
                return replace(self, kind=_REPORTED[side])
            case Choice():
                variants = cq(model_of_cqels(self.query))
                return replace(self, query=next(v.query for v in variants if set(v.choices) <= {side}))
            case _:
                assert_never(side)

    @property
    def question(self) -> Question:
        program = lars_program(self.query, self.setting)
        return ask(push(program, self.trigger), output_of(self.query, self.setting).predicate)
