"""A run of a CQELS profile: its stages, on the pushes of a recording."""

from collections.abc import Sequence
from dataclasses import dataclass

from agreement.engines.contents import columns
from agreement.engines.cqels_answers import Answers, Reporting
from agreement.engines.cqels_body import Body
from agreement.engines.cqels_level import level_of
from agreement.engines.cqels_live import Live
from agreement.engines.cqels_machine import Machine, Stages
from agreement.engines.cqels_reading import read_body
from agreement.engines.cqels_static import StaticData
from agreement.engines.cqels_text import WrittenQuery
from agreement.recordings.recording import Push, Recording
from lars.errors import LarsError
from solver.static import Static
from translate.query import Form


@dataclass(frozen=True, slots=True)
class Profile:
    """An engine with some of its rules off: the stages of its machine, what it reports, its name."""

    name: str
    stages: Stages
    reporting: Reporting


def run(profile: Profile, query: WrittenQuery, static: Static, pushes: Sequence[Push]) -> Recording:
    """Return what a profile reports; the query has its text as the engine's parser takes it.

    Raises LarsError for a query that cannot be run: one without a triple pattern in STREAM, or
    other than SELECT; or with elements in STREAM that the engine leaves out, where it is not to.
    """
    if query.form is not Form.SELECT:
        problem = f"found {query.form.value}; {profile.name} is known for SELECT only"
        raise LarsError(f"{query.source}: {problem}")
    body = read_body(query.text, query.source, query.base)
    _check(body, profile, query.source)
    level = level_of(query)
    data = StaticData(static, query.dataset)
    grouped = level.group is not None
    follows = not profile.reporting.each or grouped
    live = Live() if follows and not (grouped and profile.reporting.looked_up) else None
    machine = Machine(body, profile.stages, data, level.variables, live)
    reports = Answers(machine, level, profile.reporting).reports(pushes)
    return Recording(columns(query), tuple(reports))


def _check(body: Body, profile: Profile, source: str) -> None:
    if not body.triples:
        problem = "found no triple pattern in a STREAM block; accepted: one at least, which triples can match"
        raise LarsError(f"{source}: {problem}")
    if body.others and not profile.stages.registered:
        raise body.others[0]
