"""Why a program has no answer stream at a time: what rules it out, or what hangs on its own absence."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agreement.answer_streams import AnswerStreams, answer_streams, prover_of
from agreement.situations import Situated
from lars.dependencies import on_own_absence
from lars.joining import World
from lars.program import Program
from lars.stream import Moment
from lars.terms import Signature
from lars.violations import Violation, relaxed, restored, violations


@dataclass(frozen=True, slots=True)
class Unanswered:
    """There is no answer stream at t: `relaxed` are those of the rules without what rules streams out.

    That are constraints, and heads outside the timeline. The first of these streams is `world`, with
    the program's own rules; it has `violations`. Without any, `circular` says what prevents them.
    """

    program: Program
    t: int
    moment: Moment
    relaxed: AnswerStreams
    world: World | None
    violations: tuple[Violation, ...]
    circular: Mapping[Signature, tuple[int, ...]]


def without_what_excludes(here: Situated, t: int, path: Path) -> AnswerStreams:
    """Return the answer streams of the rules without constraints and heads outside the timeline."""
    return answer_streams(here, relaxed(here.program, here.stream.timeline), t, path)


def unanswered(here: Situated, t: int, moment: Moment, found: AnswerStreams) -> Unanswered:
    """Return why there is no answer stream at t, by those of `without_what_excludes`."""
    if not found.streams:
        circular = on_own_absence(here.program)
        return Unanswered(here.program, t, moment, found, None, (), circular)
    first = prover_of(here, relaxed(here.program, here.stream.timeline), t, found.streams[0])
    world = restored(first.world, here.program)
    return Unanswered(here.program, t, moment, found, world, tuple(violations(world)), {})
