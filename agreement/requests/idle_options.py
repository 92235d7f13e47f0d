"""Options that would say nothing where they stand: for each command the situations, and what is accepted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from agreement.requests.groups import EvaluationOptions, ExecutionMode
from agreement.requests.query_files import PROGRAM_SUFFIX
from lars.errors import LarsError
from translate.dialects import TITLES
from translate.query import EngineQuery, Language
from translate.tau import Trigger

Said = Mapping[str, Any]
"""What the command line says: the values of its options by their long names, of its arguments by theirs."""


@dataclass(frozen=True, slots=True)
class IdleOptions:
    """In a situation these options (or arguments) say nothing; `accepted` says where they do.

    Without `names` these are all others.
    """

    situation: Callable[[Said], bool]
    names: tuple[str, ...]
    accepted: str


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _is(name: str, value: object = None) -> Callable[[Said], bool]:
    return lambda said: name in said and (value is None or _plain(said[name]) == value)


def _is_not(name: str, value: str) -> Callable[[Said], bool]:
    return lambda said: _plain(said.get(name)) != value


def _of_a_query(situation: Callable[[Said], bool]) -> Callable[[Said], bool]:
    # What a program leaves no choice of is refused for that.
    return lambda said: situation(said) and said["query"].suffix != PROGRAM_SUFFIX


def _alone(name: str) -> IdleOptions:
    return IdleOptions(_is(name), (), f"accepted without {name}, which prints what it says and nothing else")


def _no_trace(said: Said) -> bool:
    return not {"trace", "--stream"} & said.keys()


def _program_as_text(said: Said) -> bool:
    return _no_trace(said) and said["query"].suffix == PROGRAM_SUFFIX and not _is("--format", "ticker")(said)


_ALONE: Final = ("--schema", "--fields", "--read", "--legend", "--quiet", "--verbose", "--memory")
_SKIPPED: Final = IdleOptions(
    _is_not("--on-error", "skip"), ("--rejected",), "accepted with --on-error skip, which skips bad lines"
)
_NO_TABLES: Final = IdleOptions(
    lambda said: "--out" not in said, ("--out-format",), "accepted with --out DIR, which writes tables"
)
_SPARK: Final = IdleOptions(
    _is("--in-process"), ("--master",), "accepted without --in-process, which does without Spark"
)
_PUSHED: Final = IdleOptions(
    _is("--mode", "push"), ("--period",), "accepted with --mode pull, which evaluates at its multiples"
)
_PULLED: Final = IdleOptions(
    _is("--mode", "pull"), ("--trigger",), "accepted with --mode push, which input triggers"
)
_OF_RULES: Final = ("--mode", "--period", "--trigger", "--profile", "--bounds", "--semantics")
_OF_TRACES: Final = ("--trace-unit", "--sort", "--at")

IDLE: Final[Mapping[str, tuple[IdleOptions, ...]]] = {
    "translate": (
        IdleOptions(
            _is("--to"),
            (*_OF_RULES, "--format", "--static", "--stream", "trace", *_OF_TRACES),
            "accepted without --to, which writes the query itself and no rules",
        ),
        IdleOptions(
            _is("--format", "model"), _OF_RULES, "accepted with another --format: the model has no rules"
        ),
        IdleOptions(_of_a_query(_is_not("--mode", "pull")), ("--period",), _PUSHED.accepted),
        IdleOptions(_of_a_query(_is_not("--mode", "push")), ("--trigger",), _PULLED.accepted),
        IdleOptions(_no_trace, _OF_TRACES, "accepted with TRACE.., whose times it is about"),
        IdleOptions(
            _program_as_text, ("--unit", "--origin"), "accepted with TRACE..: a program counts time points"
        ),
    ),
    "solve": (
        _PUSHED,
        _PULLED,
        _SKIPPED,
        IdleOptions(
            _is("--as"), ("--master",), "accepted without --as NAME, whose reports are made in this process"
        ),
        _NO_TABLES,
        IdleOptions(_is("--as-stream"), ("--json",), "accepted without --as-stream, which prints N-Quads"),
    ),
    "explain": (_PUSHED, _PULLED, _SKIPPED),
    "check": (_PUSHED, _PULLED, _SKIPPED),
    "agree": (_alone("--schema"), _SKIPPED, _NO_TABLES),
    "decide": (
        IdleOptions(
            lambda said: bool({"--contained", "--equivalent"} & said.keys()),
            ("--period", "--static", "--trigger", "--assign"),
            "accepted without --contained and --equivalent, which are about every time and all data",
        ),
        IdleOptions(
            _is("--equivalent"), ("--contained",), "accepted without --equivalent, which is both directions"
        ),
        IdleOptions(
            lambda said: not {"--contained", "--equivalent"} & said.keys(),
            ("--rename",),
            "accepted with --contained or --equivalent, which compare columns",
        ),
    ),
    "judge": (_alone("--fields"), _SKIPPED, _NO_TABLES),
    "compare": (_SKIPPED,),
    "shrink": (_SKIPPED,),
    "run": (_alone("--schema"),),
    "generate": (_SPARK,),
    "export": (_alone("--read"), _PUSHED, _PULLED, _SKIPPED),
}


def check_idle(command: str, said: Said) -> None:
    """Raise LarsError for options of a command line that would say nothing.

    >>> check_idle("solve", {"--mode": "push", "--period": 5})
    Traceback (most recent call last):
    lars.errors.LarsError: --period: accepted with --mode pull, which evaluates at its multiples
    """
    for one in IDLE.get(command, ()):
        if not one.situation(said):
            continue
        idle = [name for name in said if (name in one.names if one.names else name not in _ALONE)]
        if idle:
            shown = (name if name[:1] == "-" else _joined(said[name]) for name in idle)
            raise LarsError(f"{', '.join(shown)}: {one.accepted}")


def _joined(value: Any) -> str:
    return " ".join(map(str, value if isinstance(value, list) else [value]))


def is_pushed(query: EngineQuery, evaluation: EvaluationOptions) -> bool:
    """Return whether a query is evaluated when input arrives: as is wanted, else as its engine does."""
    natural = ExecutionMode.PUSH if query.language is Language.CQELS else ExecutionMode.PULL
    return (evaluation.mode or natural) == ExecutionMode.PUSH


def check_evaluated(query: EngineQuery, evaluation: EvaluationOptions, trigger: Trigger) -> None:
    """Raise LarsError for a period where input makes the query evaluate, for a trigger where time does."""
    title, pushed = TITLES[query.language], is_pushed(query, evaluation)
    if pushed and evaluation.period is not None:
        raise LarsError(f"--period: accepted with --mode pull; by default a query in {title} is pushed")
    if not pushed and trigger is not Trigger.ANY:
        raise LarsError(f"--trigger: accepted with --mode push; by default a query in {title} is pulled")
