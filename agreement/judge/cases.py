"""Many recorded cases at once: each judged by an engine version or a specification."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agreement.engines.engine import Engine, EngineRule, needed
from agreement.engines.registry import ENGINES, engine
from agreement.judge.by_engine import EngineRun, Pushwise, VersionJudgement, judged_by
from agreement.judge.judge_inputs import recorded_of_case, run_of_case
from agreement.judge.judgement import Judgement, Options, judged
from agreement.likeness import Likeness
from agreement.recordings import Case, Recording, read_case
from agreement.specifications import NAMES, SUFFIX, specification
from lars.errors import LarsError, about
from lars.files import exists
from solver.settings import Progress, unwatched


def needed_rules(
    engine: Engine, run: EngineRun, recorded: Recording, how: Likeness
) -> tuple[EngineRule, ...] | None:
    """Return rules of the engine that together predict the recording, and no fewer of which do.

    None where not even all of them do; no rule where the specification, with windows that begin at
    multiples of their slide, predicts it too; when in the course of a push a report comes is left open.
    """

    def predicts(kept: Sequence[EngineRule]) -> bool:
        off = frozenset(rule.name for rule in engine.rules if rule not in kept)
        return judged_by(engine, run, recorded, Pushwise(how, times=False), off).correct

    return needed(engine.rules, predicts) if predicts(engine.rules) else None


_SUFFIX: Final = ".json"
_ACCEPTED: Final = "case files or folders of them, or a query and its trace with --answers FILE"


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The verdict on a case by `judge`: an engine version's or a specification's.

    `rules` are those of the case's own engine that explain why a specification is not met; None where
    that was not asked, or the engine does not predict the case either.
    """

    case: Case
    judge: str
    judgement: VersionJudgement | Judgement
    rules: tuple[EngineRule, ...] | None = None

    @property
    def correct(self) -> bool:
        """Whether the case is as the judge says; a case in which nothing can be compared is not."""
        return self.judgement.correct is True


def case_files(paths: Sequence[Path]) -> list[Path]:
    """Return the case files, those in folders (and the folders in them) included."""
    if not paths:
        raise LarsError(f"nothing to judge; accepted: {_ACCEPTED}")
    found: list[Path] = []
    for path in paths:
        if not exists(path, folder=True) and path.suffix.lower() != _SUFFIX:
            raise LarsError(f"{path}: no case, *{_SUFFIX}, and no folder; accepted: {_ACCEPTED}")
        inside = sorted(path.rglob(f"*{_SUFFIX}")) if exists(path, folder=True) else [path]
        if not inside:
            raise LarsError(f"{path}: a folder without *{_SUFFIX}; accepted: {_ACCEPTED}")
        found += inside
    return found


def judged_cases(
    paths: Sequence[Path], judge: str | None, options: Options, progress: Progress = unwatched
) -> Iterator[CaseVerdict]:
    """Yield the verdict on each case, by its own engine version unless `judge` names another.

    `own` as the judge is the specification that the case's engine claims to follow.
    """
    for done, path in enumerate(paths):
        progress(done, len(paths))
        yield judged_case(read_case(path), judge, options)


def judged_case(case: Case, judge: str | None, options: Options) -> CaseVerdict:
    """Return the verdict on one case."""
    own = engine(case.engine)
    name = case.engine if judge is None else own.specification if judge == SPECIFICATION else judge
    try:
        if name in ENGINES:
            how = Pushwise(options.likeness, empty=options.empty, pushes=name == case.engine)
            windows = case.windows if any(case.windows) else ()
            recording = replace(case.recording, windows=windows)
            return CaseVerdict(case, name, judged_by(ENGINES[name], run_of_case(case), recording, how))
        return _by_specification(case, name, own, options)
    except LarsError as error:
        said = str(error)
        # What is wrong with the query says so itself.
        raise (error if said.startswith(str(case.path)) else about(case.path, error)) from None


SPECIFICATION: Final = "specification"
"""The judge of a case that is the specification of its engine."""
ACCEPTED_JUDGES: Final = (
    f"a specification ({', '.join(NAMES)}, or a file *{SUFFIX}) or an engine version ({', '.join(ENGINES)})"
)


def is_judge(name: str) -> bool:
    """Whether a name is that of an engine version, a specification, or a file of one."""
    return name in ENGINES or name in NAMES or name.endswith(SUFFIX)


def _by_specification(case: Case, name: str, own: Engine, options: Options) -> CaseVerdict:
    recorded = recorded_of_case(case, options)
    found = judged(recorded.task, specification(name), recorded.recording, recorded.options)
    if found.correct or own.specification != name or name not in NAMES:
        return CaseVerdict(case, name, found)
    rules = needed_rules(own, recorded.run, case.recording, options.likeness)
    return CaseVerdict(case, name, found, rules)
