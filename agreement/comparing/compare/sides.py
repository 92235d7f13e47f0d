"""Who reports: a specification or engine version by its name, as it is and with some of it changed."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from agreement.comparing.judge import ACCEPTED_JUDGES, align, is_judge
from agreement.documents.recordings import Recording
from agreement.documents.values import cut
from agreement.engines.adapters import ADAPTER, adapted_version
from agreement.engines.engine import NOTHING_OFF, Engine, EngineRule
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import (
    EngineRun,
    Specification,
    builtin,
    choice_at,
    in_words,
    specification,
    specified_answers,
)
from lars.errors import LarsError
from lars.language.windows import Bounds
from translate.model.query import Form

Reporter = Specification | Engine


@dataclass(frozen=True, slots=True)
class NamedReporter:
    """Who reports, as messages name it; `lexical` where its rows do not keep the kinds of terms."""

    name: str
    reporter: Reporter
    lexical: bool = False


def reporter(name: str) -> Reporter:
    """Return the specification or engine version of that name, or the specification in that file."""
    if not is_judge(name):
        raise LarsError(f"found the engine {cut(name)!r}; accepted: {ACCEPTED_JUDGES}")
    return ENGINES[name] if name in ENGINES else specification(name)


def check_reporter(name: str) -> None:
    """Raise for what names no specification, no engine version and no adapter."""
    if not is_judge(name) and not name.startswith(ADAPTER):
        accepted = f"{ACCEPTED_JUDGES}, '{ADAPTER}COMMAND'"
        raise LarsError(f"found the engine {cut(name)!r}; accepted: {accepted}")


def named_reporter(name: str, text: str) -> NamedReporter:
    """Return the specification or engine version of that name, that of a file, or a real engine's.

    The query's text is what an adapter is given.
    """
    check_reporter(name)
    if name.startswith(ADAPTER):
        engine, lexical = adapted_version(name.removeprefix(ADAPTER), text)
        return NamedReporter(engine.name, engine, lexical)
    return NamedReporter(name, reporter(name))


_SAID: Final = frozenset(("name", "description"))
"""The fields of a specification that change nothing."""
_BOUNDS: Final = "bounds"


@dataclass(frozen=True, slots=True)
class WindowPlacement:
    """Where the windows of a specification begin, and their ends; None for what it says itself.

    Without `start` windows close at the multiples of their slides, as those of engine versions do.
    """

    start: int | None = None
    bounds: Bounds | None = None


@dataclass(slots=True)
class ProfileSide:
    """A profile on its input, up to the last push or the time point `until`.

    `like` is the specification whose fields it can take on, if it is one.
    """

    name: str
    reporter: Reporter
    run: EngineRun
    placing: WindowPlacement
    like: Specification | None = None
    until: int | None = None
    _known: dict[frozenset[str], Recording] = field(default_factory=dict)

    @property
    def timed(self) -> bool:
        """Whether the times of its reports are told: not where an engine stamps real time."""
        return isinstance(self.reporter, Specification) or self.reporter.timed

    @property
    def changes(self) -> tuple[EngineRule, ...]:
        """What can be changed: the rules of an engine version, the fields in which `like` differs."""
        if isinstance(self.reporter, Specification):
            rules = () if self.like is None else fields(self.reporter, self.like)
            return tuple(rule for rule in rules if self.placing.bounds is None or rule.name != _BOUNDS)
        return self.reporter.rules

    def reports(self, changed: frozenset[str] = NOTHING_OFF) -> Recording:
        """Return what it reports: rules that are changed are off, fields that are so are those of `like`.

        Raises LarsError for a query that it cannot run.
        """
        if changed not in self._known:
            self._known[changed] = self._run(changed)
        return self._known[changed]

    def _run(self, changed: frozenset[str]) -> Recording:
        engine_run = self.run
        if not isinstance(self.reporter, Specification):
            recording = self.reporter.run(engine_run.query, engine_run.static, engine_run.pushes, changed)
            return align(recording, (), engine_run.query) if engine_run.query.form is Form.ASK else recording
        taken = {name: getattr(self.like, name) for name in changed}
        changed_specification = self.reporter.model_copy(update=taken)
        choice = choice_at(engine_run, changed_specification, self.placing.start, self.placing.bounds)
        return specified_answers(engine_run, changed_specification, choice, self.until or engine_run.last)


def sides(first: ProfileSide, second: ProfileSide) -> tuple[ProfileSide, ProfileSide]:
    """Return both sides; one that is a specification can be changed into what the other one follows."""
    if isinstance(first.reporter, Specification):
        return replace(first, like=specification_of(second)), second
    if isinstance(second.reporter, Specification):
        return first, replace(second, like=specification_of(first))
    return first, second


def specification_of(side: ProfileSide) -> Specification:
    """Return the specification that a side is, or claims to follow."""
    who = side.reporter
    return who if isinstance(who, Specification) else builtin(who.specification)


def fields(of: Specification, like: Specification) -> Iterator[EngineRule]:
    """Yield the fields in which two specifications differ, with what both say."""
    for name in Specification.model_fields:
        one, other = getattr(of, name), getattr(like, name)
        if name not in _SAID and one != other:
            yield EngineRule(name, f"{in_words(one)} in {of.name}, {in_words(other)} in {like.name}")
