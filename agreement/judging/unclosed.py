"""Reports that come before the first window closes, and what had arrived by then."""

from dataclasses import replace

from agreement.engines.contents import answers, columns
from agreement.judging.aligning import aligned
from agreement.judging.judgement import Options, first_close, slots_of
from agreement.judging.likeness import Matched, matched
from agreement.judging.slots import Slot
from agreement.judging.verdict import Verdict
from agreement.recordings.recording import Recording
from agreement.specifications.evaluation import Profiled, Task, evaluations, profiled
from agreement.specifications.placing import at_close
from agreement.specifications.specification import Specification
from agreement.streamed import streamed
from translate.profiles import Setting


def unclosed(
    task: Task, specification: Specification, recording: Recording, options: Options, judged: Verdict
) -> dict[float, Matched]:
    """Return how each report before the first close meets the windows that are open then, by times in ms."""
    profile = profiled(task, specification, judged.choice)
    closes = first_close(profile)
    recorded = aligned(recording, columns(task.query), task.query)
    found = slots_of(profile, evaluations(profile), recorded, options)
    early = [slot for slot in found if slot.expected is None and closes is not None and slot.t < closes]
    return _compared(profile, early, options) if early else {}


def _compared(profile: Profiled, early: list[Slot], options: Options) -> dict[float, Matched]:
    task, specification = profile.task, profile.specification
    length = task.unit.milliseconds
    ticks = [at_close(int(slot.t / length), profile.frame) for slot in early]
    contents = [
        {one.source: [one.elements[n].triple for n in one.span(tick)] for one in profile.windows}
        for tick in ticks
    ]
    setting = Setting(specification.profile, semantics=specification.rows, ordered=True)
    rows = dict(enumerate(answers(task.query, contents, task.static, setting)))
    kind = task.query.to_stream or specification.stream
    expected = streamed(kind, range(len(early)), rows)
    how = replace(options.likeness, semantics=specification.rows)
    return {slot.t: matched(expected[n], slot.reports[0].rows, how) for n, slot in enumerate(early)}
