"""Which rules of an engine version explain a recording that its specification does not."""

from agreement.engines.engine import Engine, EngineRule
from agreement.judging.likeness import Likeness
from agreement.judging.versions import Pushwise, Run, judged_by
from agreement.recordings.recording import Recording


def needed_rules(
    engine: Engine, run: Run, recorded: Recording, how: Likeness
) -> tuple[EngineRule, ...] | None:
    """Return rules of the engine that together predict the recording, and no fewer of which do.

    None where not even all of them do; no rule where the specification, with windows that begin at
    multiples of their slide, predicts it too; when in the course of a push a report comes is left open.
    Rules are left out one after the other, the last first.
    """
    off: frozenset[str] = frozenset()
    compared = Pushwise(how, times=False)
    if not judged_by(engine, run, recorded, compared).correct:
        return None
    for rule in reversed(engine.rules):
        without = off | {rule.name}
        if judged_by(engine, run, recorded, compared, without).correct:
            off = without
    return tuple(rule for rule in engine.rules if rule.name not in off)
