"""Many recorded cases at once: each judged by an engine version or a specification; their tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from agreement.comparing.judge.by_engine import Pushwise, VersionJudgement, judged_by
from agreement.comparing.judge.comparability import NARROW
from agreement.comparing.judge.judge_inputs import recorded_of_case, run_of_case
from agreement.comparing.judge.judgement import Judgement, judge_recording, narrow_options
from agreement.comparing.judge.verdict import Options
from agreement.comparing.matching.likeness import Likeness
from agreement.documents.outputs import first_few, plain, quantity
from agreement.documents.placed import shown_json
from agreement.documents.recordings import Case, Recording, read_case
from agreement.documents.requests import MatchBy
from agreement.engines.engine import Engine, EngineRule, fewest_enough
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import NAMES, SUFFIX, EngineRun, specification
from lars.errors import FailedRunError, LarsError, about
from lars.files import exists
from solver.settings import Progress, no_progress


def needed_rules(
    engine: Engine, run: EngineRun, recorded: Recording, how: Likeness, match: MatchBy = MatchBy.TIME
) -> tuple[EngineRule, ...] | None:
    """Return rules of the engine that together predict the recording, and no fewer of which do.

    None where not even all of them do; no rule where the specification, with windows that begin at
    multiples of their slide, predicts it too; when in the course of a push a report comes is left open.
    """
    engine_rules = (_needed(build, run, recorded, how, match) for build in (engine, *engine.builds))
    return next((rules for rules in engine_rules if rules is not None), None)


def _needed(
    engine: Engine, run: EngineRun, recorded: Recording, how: Likeness, match: MatchBy
) -> tuple[EngineRule, ...] | None:
    alone = replace(engine, builds=())

    def predicts(rules: Sequence[EngineRule]) -> bool:
        off = frozenset(rule.name for rule in engine.rules if rule not in rules)
        compared = Pushwise(how, times=False, match=match)
        return judged_by(alone, run, recorded, compared, off).correct is True

    return fewest_enough(engine.rules, predicts) if predicts(engine.rules) else None


_Result = TypeVar("_Result")
_SUFFIX: Final = ".json"
_ACCEPTED: Final = "case files or folders of them, or a query and its trace with --answers FILE"


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The verdict on a case by `judge`: an engine version's or a specification's.

    `rules` are those of the case's own engine that explain why a specification is not met; None where
    that was not asked, or the engine does not predict the case either. `other` is the verdict by the
    other match on a case that is not correct.
    """

    case: Case
    judge: str
    judgement: VersionJudgement | Judgement
    rules: tuple[EngineRule, ...] | None = None
    other: VersionJudgement | Judgement | None = None

    @property
    def correct(self) -> bool | None:
        """Whether the case is as the judge says; None where nothing can be compared, or it is undecided."""
        return self.judgement.correct


@dataclass(frozen=True, slots=True)
class RefusedCase:
    """A case that could not be judged or compared, and why; the case is None where it cannot be read."""

    path: Path
    case: Case | None
    problem: str

    @property
    def id(self) -> str:
        """What it is called: by its file, where nothing else is known."""
        return self.path.stem if self.case is None else self.case.id


def overall(verdicts: Sequence[bool | None]) -> bool | None:
    """Return whether all are correct; None if some are not known to be, and none is incorrect."""
    return False if False in verdicts else None if None in verdicts else True


def case_files(paths: Sequence[Path]) -> list[Path]:
    """Return the case files, those in folders (and the folders in them) included."""
    if not paths:
        raise LarsError(f"nothing to judge; accepted: {_ACCEPTED}")
    files: list[Path] = []
    for path in paths:
        if not exists(path, folder=True) and path.suffix.lower() != _SUFFIX:
            raise LarsError(f"{path}: no case, *{_SUFFIX}, and no folder; accepted: {_ACCEPTED}")
        inside = sorted(path.rglob(f"*{_SUFFIX}")) if exists(path, folder=True) else [path]
        if not inside:
            raise LarsError(f"{path}: a folder without *{_SUFFIX}; accepted: {_ACCEPTED}")
        files += inside
    return files


def each_case(
    paths: Sequence[Path], work: Callable[[Case], _Result], progress: Progress = no_progress
) -> Iterator[_Result | RefusedCase]:
    """Yield what is found of each case. What one of several cannot be, the others do not wait for.

    Raises the LarsError of an only case, and whatever is no fault of a case.
    """
    for done, path in enumerate(paths):
        progress(done, len(paths))
        case = None
        try:
            case = read_case(path)
            result: _Result | RefusedCase = work(case)
        except FailedRunError:
            raise
        except LarsError as error:
            # What is wrong with the query says so itself.
            problem = error if str(error).startswith(str(path)) else about(path, error)
            if len(paths) == 1:
                raise problem from None
            result = RefusedCase(path, case, str(problem))
        yield result


def all_refused(cases: Sequence[RefusedCase], count: int) -> str | None:
    """Return how many of so many cases are refused, and why the first is; None without any."""
    return f"{len(cases)} of {count} cases cannot be run, as {cases[0].problem}" if cases else None


def judged_case(case: Case, judge: str | None, options: Options) -> CaseVerdict:
    """Return the verdict on a case, by its own engine version unless `judge` names another.

    `specification` as the judge is the one that the case's engine claims to follow. Raises LarsError
    for an engine that is none of the versions where no other judge is named.
    """
    if case.refused is not None:
        raise LarsError(f"the engine has refused the query, so there is nothing to judge: {case.refused}")
    own = ENGINES.get(case.engine)
    name = _judge_of(case, own) if judge is None or judge == SPECIFICATION else judge
    if judge is None and own is not None:
        name = case.engine
    turned = replace(options, match=options.match.other)
    judgement = _judgement(case, name, options)
    if judgement.correct is not False:
        return CaseVerdict(case, name, judgement)
    other, rules = _judgement(case, name, turned, hint=True), None
    if own is not None and isinstance(judgement, Judgement) and own.specification == name and name in NAMES:
        recording = case.recording
        rules = needed_rules(own, run_of_case(case), recording, options.likeness, options.match)
    return CaseVerdict(case, name, judgement, rules, other)


def _judge_of(case: Case, own: Engine | None) -> str:
    """Return the specification that a case's engine claims to follow, or that of its language."""
    if own is not None:
        return own.specification
    if case.dialect in NAMES:
        return case.dialect
    raise LarsError(
        f"found the engine {shown_json(case.engine)}, no version that is known; "
        f"accepted: --engine with {ACCEPTED_JUDGES}"
    )


def _judgement(
    case: Case, name: str, options: Options, *, hint: bool = False
) -> VersionJudgement | Judgement:
    if name in ENGINES:
        pushes = name == case.engine
        likeness = replace(options.likeness, lexical=case.lexical)
        how = Pushwise(likeness, empty=options.empty, pushes=pushes, match=options.match)
        recording = replace(case.recording, windows=case.windows if any(case.windows) else ())
        return judged_by(ENGINES[name], run_of_case(case), recording, how)
    task = recorded_of_case(case, options)
    how_many = narrow_options(task.options, task.task) if hint else task.options
    return judge_recording(task.task, specification(name), task.recording, how_many)


SPECIFICATION: Final = "specification"
"""The judge of a case that is the specification of its engine."""
ACCEPTED_JUDGES: Final = (
    f"a specification ({', '.join(NAMES)}, or a file *{SUFFIX}) or an engine version ({', '.join(ENGINES)})"
)


def is_judge(name: str) -> bool:
    """Whether a name is that of an engine version, a specification, or a file of one."""
    return name in ENGINES or name in NAMES or name.endswith(SUFFIX)


NOTHING: Final = "nothing to compare"
_USABLE: Final = "accepted: cases with something to compare"
_NAMED: Final = 5


def undecided_cases(verdicts: Sequence[CaseVerdict]) -> str | None:
    """Return which cases are undecided, as not all start times were tried; None without any."""
    names = [
        verdict.case.id
        for verdict in verdicts
        if verdict.correct is None and first_problem(verdict) != NOTHING
    ]
    some_of = f"{len(names)} of {quantity(len(verdicts), 'case')}"
    return f"undecided: {some_of}: {first_few(names, _NAMED)}; {NARROW}" if names else None


def cases_without_reports(verdicts: Sequence[CaseVerdict]) -> str | None:
    """Return in which cases there is nothing to compare, if none of the others is incorrect; None without."""
    if overall([verdict.correct for verdict in verdicts]) is not None:
        return None
    names = [verdict.case.id for verdict in verdicts if verdict.correct is None]
    count = f"{len(names)} of {quantity(len(verdicts), 'case')}"
    return f"{NOTHING} in {count}: {first_few(names, _NAMED)}; {_USABLE}"


def by_family(verdicts: Iterable[CaseVerdict]) -> list[tuple[tuple[str, str, str], list[CaseVerdict]]]:
    """Return the cases of each engine, judge and family, sorted by these."""
    groups: dict[tuple[str, str, str], list[CaseVerdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.case.engine, verdict.judge, verdict.case.family), []).append(verdict)
    return sorted(groups.items(), key=lambda group: group[0])


def first_problem(verdict: CaseVerdict) -> str:
    """Return the first difference of a case in words."""
    judgement = verdict.judgement
    if judgement.correct is None:
        return "undecided" if isinstance(judgement, Judgement) and judgement.undecided else NOTHING
    if isinstance(judgement, Judgement):
        windows = [window for window in judgement.best.windows if window.problem is not None]
        if judgement.correct:
            return ""
        share = f"({len(windows)} of {len(judgement.best.windows)})"
        return f"at {plain(windows[0].last)} ms: {windows[0].problem} {share}"
    place = judgement.by.value
    wrong = judgement.wrong
    return (
        f"{place} {wrong[0].place}: {wrong[0].problem} ({len(wrong)} of {len(judgement.steps)})"
        if wrong
        else ""
    )
