"""The reports of `lars hunt`: text, JSON, HTML, and a page about each fault for the engine's author."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from agreement.comparing.judge import judging
from agreement.comparing.judge.verdicts import NO_EMPTY_ANSWER
from agreement.comparing.matching.places import ReportMatch
from agreement.documents import outputs
from agreement.documents.recordings import as_lexical, triple_of
from agreement.documents.requests import ALIGNED
from agreement.engines.engine import columns
from agreement.engines.specifications import Specification
from agreement.proving.hunting import Fault, Hunt
from agreement.proving.hunting.hunted_queries import HuntedQuery
from agreement.proving.hunting.hunting import UNTRIED
from agreement.proving.hunting.switches import EARLIER
from agreement.results.renderings.pages.blocks import lanes_json, page_blocks, stream_lanes
from agreement.results.renderings.pages.page import Page
from lars.durations import NANOSECONDS, Duration
from lars.errors import on_one_line
from solver.facts import Row

_PARTS: Final = re.compile(r"(.*?)( \([A-Z]\w* of [^()]*\))?", re.DOTALL)
"""The pattern of a rule's text: the sentence, and the name of the rule."""
_AGAIN: Final = "again.json"
_TOGETHER: Final = "On this stream, other rules of the engine also change the answers"
_FAULTS_NAMED: Final = 4
_LONGER: Final = 4
"""The factor by which a second hunt gets more time, if the first hunt could not try all rules."""
CUT_OFF: Final = "the time limit cut off the search for a smaller stream"
UNSTEADY: Final = "the engine is not deterministic"
_FIRST: Final = re.compile(r"; |: |\. |, and |, not ")


def as_text(hunt: Hunt, folders: Sequence[str]) -> Iterator[RenderableType]:
    """Yield a line and a table for each fault, and the number of runs that failed."""
    text = outputs.quantity(len(hunt.faults), "fault") if hunt.faults else "no fault"
    of = outputs.quantity(len(hunt.queries), "query")
    name = hunt.name or "the engine"
    yield f"{name} against {hunt.reference.name}: {_failed_text(hunt)}{text}, {_runs_text(hunt, f' of {of}')}"
    for number, fault in enumerate(hunt.faults):
        size = _size_text(fault)
        last = "" if fault.repeated or fault.failure else "; a new process gave other answers"
        yield f"{number + 1}. {fault.sentence}: {outputs.quantity(fault.times, 'run')}, {size}{last}"
        if number < len(folders):
            yield f"  folder of this fault: {folders[number]}"
        if not fault.isolated:
            yield f"  {_beside_text(fault)}."
        if (error := error_text(fault)) is not None:
            yield f"  {error}"
        if (advice := consequence_text(hunt, fault)) is not None:
            yield f"  {advice}"
        if (advice := choice_text(fault)) is not None:
            yield f"  {advice}"
        if fault.run.pushes:
            yield stream_table(fault)
        if fault.failure is None:
            yield places_table(fault)
    if hunt.left:
        wrong = outputs.quantity(hunt.left, "wrong run")
        why = f": {UNTRIED}; use a longer --time-limit" if hunt.untried else ""
        yield f"no fault explains {wrong} of the stored runs{why}"
    if hunt.waiting:
        yield _waiting_text(hunt)
    if unjudged := _unjudged(hunt):
        query, problem = unjudged[0]
        runs = outputs.quantity(len(unjudged), "run")
        yield f"{runs} cannot be judged; reason for the first run ({query.name}): {problem}"


def _unjudged(hunt: Hunt) -> Sequence[tuple[HuntedQuery, str]]:
    """Return the runs that nothing can judge, each with the reason; the engine did not fail in these runs."""
    messages = {message for _, message in hunt.failed}
    return [(query, problem) for query, problem in hunt.failures if problem not in messages]


def _size_text(fault: Fault) -> str:
    """Return a text with the size of a fault's stream; it is the smallest if the search was not cut off."""
    triples = outputs.quantity(len(fault.run.pushes), "triple")
    if not fault.repeated:
        return f"stream of {triples}"
    why = smaller_text(fault)
    return f"smallest stream: {triples}" if why is None else f"smallest stream found: {triples}; {why}"


def smaller_text(fault: Fault) -> str | None:
    """Return the reason why a smaller stream may show a fault; None if no smaller stream shows the fault."""
    if fault.smallest:
        return None
    return CUT_OFF if fault.repeated else UNSTEADY


def _failed_text(hunt: Hunt) -> str:
    """Return the start of a verdict if the engine fails in runs, with their number; otherwise no text."""
    failed = len(hunt.failed)
    return f"the engine fails in {outputs.quantity(failed, 'run')}; " if failed else ""


def consequence_text(hunt: Hunt, fault: Fault) -> str | None:
    """Return the advice to mend the faults with a known rule first; None for a fault with a known rule."""
    named = [str(number) for number, one in enumerate(hunt.faults, 1) if one.rule is not None]
    if fault.rule is not None or fault.failure is not None or fault.of or not fault.repeated or not named:
        return None
    few = f"fault{'s' if len(named) > 1 else ''} {outputs.first_few(named, _FAULTS_NAMED)}"
    return f"may be a consequence of {few}: repair {few} first, then hunt again"


def choice_text(fault: Fault) -> str | None:
    """Return the way to declare the parameter that explains a fault; None if another rule explains it.

    RSP-QL leaves the parameters to the engine, so the author of the engine may have chosen the value.
    """
    sentence = (fault.likely or "" if fault.of else "") if fault.rule is None else fault.rule.sentence
    name, equals, _ = sentence.partition(" = ")
    if equals and name in Specification.model_fields:
        how = (
            f"set {name} in a specification (see lars judge --fields), and hunt again with --engine FILE.toml"
        )
    elif sentence == EARLIER:
        how = f"hunt again with --t0 {ALIGNED}"
    else:
        return None
    return f"if your engine behaves so by design, {how}"


def again_text(hunt: Hunt, command: Sequence[str]) -> str | None:
    """Return the command that hunts again for one fault with more time; None if all rules were tried."""
    if not hunt.untried or not command:
        return None
    words = list(_without(command, "--faults", "--time-limit"))
    limit = outputs.plain(hunt.limits.time_limit * _LONGER)
    again = shlex.join([*words, "--faults", "1", "--time-limit", f"{limit}s"])
    return f"{UNTRIED}; to search for one fault with more time, run:\n  {again}"


def _without(command: Sequence[str], *options: str) -> Iterator[str]:
    """Yield the words of a command without the given options and their values."""
    words = iter(command)
    for word in words:
        if word in options:
            next(words, None)
        elif not word.startswith(tuple(f"{name}=" for name in options)):
            yield word


def _runs_text(hunt: Hunt, of: str = "") -> str:
    """Return a text with the number of all runs, of judged runs, and of runs that minimized streams."""
    searched = hunt.searched + hunt.tests
    after = hunt.runs - searched
    more = f"; {outputs.quantity(after, 'more run')} to minimize and repeat faults" if after else ""
    tests = f" ({hunt.tests} of them test causes)" if hunt.tests else ""
    return f"{outputs.quantity(searched, 'run')}{of}{tests}, {hunt.judged_runs} judged{more}"


def title(fault: Fault) -> str:
    """Return the title of a fault: the first clause of its rule's sentence, and the name of the rule.

    The title of an unexplained fault is the first wrong report of its small run.
    """
    if fault.failure is not None:
        return f"the engine fails in a run of {fault.run.query.name}"
    if fault.rule is None and fault.repeated:
        return _wrong_report(fault)
    match = _PARTS.fullmatch(fault.sentence)
    assert match is not None
    return f"{_FIRST.split(match[1], maxsplit=1)[0]}{match[2] or ''}"


def case_name(fault: Fault) -> str:
    """Return a name that only this fault has: the sentence of its rule, or its wrong report and stream."""
    if fault.rule is not None:
        return fault.rule.sentence
    if not fault.repeated and fault.failure is None:
        return title(fault)
    names = _term_names(fault)
    stream = (
        f"{' '.join(names[term] for term in push.triple)} at {outputs.plain(push.t, 9)}"
        for push in fault.run.pushes
    )
    name = f"{title(fault)}, for the stream {outputs.first_few(list(stream), _TRIPLES_NAMED)}"
    # An engine and lars choose the labels of blank nodes anew in each run.
    return _LABEL.sub("_:b", name)


_LABEL: Final = re.compile(r"_:\w[\w.-]*")
_TRIPLES_NAMED: Final = 12
"""The number of triples that the name of a test case contains; a small stream mostly has fewer."""


def _wrong_report(fault: Fault) -> str:
    """Return a text about the first wrong report of a run: the query, the time, and the rows."""
    query = fault.run.query.name
    place = next((place for place in fault.verdict.places if place.problem is not None), None)
    if place is None or place.problem_text is None:
        return f"wrong answers to {query}"
    names = _term_names(fault)
    came, right = (_rows_text(rows, names) for rows in (_came(fault, place), place.right_rows))
    if came == right:
        return f"wrong answers to {query}, {_where(fault, place)}: {place.problem_text}"
    return f"wrong answers to {query}, {_where(fault, place)}: {came} instead of {right}"


def stream_table(fault: Fault) -> Table:
    """Return a table of the stream on which a fault occurs."""
    names = _term_names(fault)
    rows = (
        (outputs.plain(push.t), outputs.short(push.stream), " ".join(names[term] for term in push.triple))
        for push in fault.run.pushes
    )
    return outputs.table(None, ("t (ms)", "stream", "triple"), rows, right=("t (ms)",))


def places_table(fault: Fault) -> Table:
    """Return a table of the expected and the reported rows, with a line for each push or window."""
    names = ", ".join(f"?{name}" for name in columns(fault.run.query.read))
    sides = [f"{side} ({names})" if names else side for side in ("expected", "reported")]
    texts = _term_names(fault)
    places = (
        (
            _where(fault, place),
            _rows_text(place.right_rows, texts, empty=_expects_empty(place)),
            _rows_text(_came(fault, place), texts, empty=bool(place.came)),
            place.problem_text or "right",
        )
        for place in _places(fault)
    )
    return outputs.table(None, ("where", *sides, "verdict"), places)


def _expects_empty(place: ReportMatch) -> bool:
    """Return whether a report without rows is expected; specifications often require no report instead."""
    is_right = place.problem is None and bool(place.came)
    return bool(place.right) and (is_right or place.problem == NO_EMPTY_ANSWER)


def _places(fault: Fault) -> tuple[ReportMatch, ...]:
    """Return the compared reports of a fault's run, and the reports that are not judged."""
    return (*fault.verdict.places, *fault.verdict.unjudged)


def _where(fault: Fault, place: ReportMatch) -> str:
    """Return the push of a compared report, or its evaluation time and window, as text."""
    if fault.verdict.by_push:
        return f"push {place.at}"
    at = outputs.plain(place.at)
    window = "" if place.first is None else f", window {outputs.plain(place.first)} to {at}"
    return f"at {at} ms{window}"


def _terms(fault: Fault) -> dict[str | None, str]:
    """Map lexical forms to the terms of the input, for an engine that reports only lexical forms."""
    if not fault.run.typed_answers.lexical:
        return {}
    triples = (
        *(push.triple for push in fault.run.pushes),
        *map(triple_of, fault.run.query.registration.static),
    )
    return {as_lexical(term): term for triple in triples for term in triple}


def _came(fault: Fault, place: ReportMatch) -> list[Row]:
    """Return the reported rows of a place, with the terms of the input for lexical forms."""
    terms = _terms(fault)
    return [tuple(terms.get(term, term) for term in row) for row in place.came_rows]


def _term_names(fault: Fault) -> Mapping[str | None, str]:
    """Return a short text for each term of a run; terms whose short texts are equal show their kinds."""
    rows = (row for place in _places(fault) for row in (*place.right_rows, *_came(fault, place)))
    return outputs.names_apart(chain(*(push.triple for push in fault.run.pushes), *rows))


def _rows_text(rows: Sequence[Row], names: Mapping[str | None, str], *, empty: bool = False) -> str:
    """Return rows as text; a row without columns is the answer true of an ASK query.

    If `empty` is true, a report without rows is also text.
    """
    texts = (f"({', '.join(names[term] for term in row)})" if row else "true" for row in rows)
    return ", ".join(sorted(texts)) or ("a report without rows" if empty else "no row")


def _beside_text(fault: Fault) -> str:
    known = "; ".join(rule.sentence for rule in fault.other_rules)
    return f"{_TOGETHER}{known and f': {known}'}"


def error_text(fault: Fault) -> str | None:
    """Return a sentence about the first error that the engine sends in the run of a fault, if any."""
    for number, text in fault.run.answers.errors:
        time = outputs.plain(fault.run.pushes[number].t)
        return f"The engine sends an error after the triple of {time} ms: {on_one_line(text)}"
    return None


def rule_text(fault: Fault) -> str:
    """Return a text about the rule of the engine that predicts its wrong answers, and its first error."""
    error = error_text(fault)
    return _rule_text(fault) + (f" {error}" if error else "")


def _rule_text(fault: Fault) -> str:
    if fault.rule is not None:
        more = "" if fault.isolated else f" {_beside_text(fault)}."
        return f"The engine follows another rule: {fault.rule_sentence}.{more}"
    if fault.failure is not None:
        return f"The engine does not answer the messages of this run: {fault.failure}."
    if not fault.repeated:
        return "The engine is not deterministic: a new process gave other answers to the same input."
    if fault.of:
        return f"No rule is proved: {fault.partial_sentence}."
    where = "" if fault.alike is None else f"; description of the wrong reports: {fault.alike}"
    if fault.likely is not None:
        but = "time was up before all known rules were tried"
        tried = but if fault.untried else "it does not explain all wrong runs"
        return f"{fault.likely} explains the answers to this stream, but {tried}{where}."
    if fault.untried:
        return f"Time was up before all known rules were tried{where}. `lars judge` of the case may name one."
    return f"No known rule explains the answers{where}."


def right_text(hunt: Hunt, fault: Fault) -> str:
    """Return a text that describes the correct behavior, with the definition that requires it."""
    if fault.failure is not None:
        return "an engine replies to each message of a run"
    return hunt.reference.sentence if fault.rule is None else f"{hunt.reference.sentence}: {fault.rule.right}"


def judge_command(hunt: Hunt, fault: Fault, case: str = "case.json") -> str:
    """Return the command that judges a recorded case as the hunt judges its runs."""
    options = hunt.reference.options
    said = str(options.t0) if options.starts is None else ",".join(map(str, options.starts))
    starts = [] if options.t0 is None else ["--t0", said]
    if (unit := judge_unit(hunt, fault)) is not None:
        starts += ["--unit", str(unit)]
    bounds = [] if options.bounds is None else ["--bounds", options.bounds]
    late = [] if options.late is None else ["--late", outputs.plain(options.late)]
    return shlex.join(["lars", "judge", case, "--engine", hunt.reference.name, *starts, *bounds, *late])


def judge_unit(hunt: Hunt, fault: Fault) -> Duration | None:
    """Return the unit with which `lars judge` must judge a fault's case; None if it is the default unit.

    The hunt counts t0 in the ticks of the query. The times of a small stream often have a longer unit.
    """
    run = fault.run
    tick = Duration(round(run.query.tick * NANOSECONDS["ms"]))
    other = any(hunt.reference.options.starts or ()) and judging.unit_of(run.query.read, run.pushes) != tick
    return tick if other else None


def again_commands(hunt: Hunt, fault: Fault, case: str = "case.json") -> tuple[str, str]:
    """Return the commands that run the engine again on the case of a fault, and judge its new reports."""
    options = fault.run.query.registration.options
    told = (part for name, value in options.items() for part in ("--option", f"{name}={json.dumps(value)}"))
    record = ["lars", "record", case, "--adapter", hunt.engine.name, *told, "--out", _AGAIN]
    return shlex.join(record), judge_command(hunt, fault, _AGAIN)


def fault_markdown(hunt: Hunt, fault: Fault, made: Sequence[tuple[str, str]], folder: str) -> str:
    """Return a Markdown page about a fault: query, stream, reported rows, correct rows, and definition.

    `folder` is the path of the fault's folder, relative to the folder in which `lars hunt` was run.
    """
    static = fault.run.query.registration.static
    parts = (
        f"# {hunt.name}: {title(fault)}",
        _summary(hunt, fault),
        *(() if (why := smaller_text(fault)) is None else (f"A smaller stream may show this fault: {why}.",)),
        "## Query",
        f"```sparql\n{fault.run.query.registration.query.strip()}\n```",
        *(("Static data:", "```\n" + "\n".join(static) + "\n```") if static else ()),
        "## Stream, in the order of arrival",
        _markdown(stream_table(fault)) if fault.run.pushes else "The stream is empty.",
        *(_answers_markdown(fault) if fault.failure is None else ()),
        "## Why",
        rule_text(fault),
        *((f"This fault {advice}.",) if (advice := consequence_text(hunt, fault)) else ()),
        f"Correct behavior: {right_text(hunt, fault)}.",
        "## How to run the engine again",
        *_again_markdown(hunt, fault, folder),
        _provenance(made),
    )
    return "\n\n".join(parts) + "\n"


def _summary(hunt: Hunt, fault: Fault) -> str:
    """Return a sentence with the size of a fault's stream, and the number of runs that show the fault."""
    size = outputs.quantity(len(fault.run.pushes), "triple")
    if fault.failure is not None:
        same = ", also in a new process" if fault.repeated and fault.confirmed else ""
        failed = outputs.quantity(fault.times, "run")
        judged = f"{outputs.quantity(hunt.judged_runs, 'run')} judged"
        return f"{hunt.name} fails on this stream of {size}{same}. The engine fails in {failed}; {judged}."
    same = ", also in a new process" if fault.repeated and fault.confirmed else ""
    runs = outputs.quantity(hunt.judged_runs, "judged run")
    wrong = f"{hunt.name} gives wrong answers by {hunt.reference.name} to this stream of {size}{same}"
    return f"{wrong}. The fault occurs in {fault.times} of {runs}."


def _answers_markdown(fault: Fault) -> Iterator[str]:
    yield "## Expected and reported rows"
    if fault.verdict.choice:
        yield f"Times in ms; {fault.verdict.choice}."
    yield _markdown(places_table(fault))


def _again_markdown(hunt: Hunt, fault: Fault, folder: str) -> Iterator[str]:
    record, judge = again_commands(hunt, fault, f"{folder}/case.json")
    where = "In the folder in which `lars hunt` was run, run the engine again on the case"
    if fault.failure is not None:
        yield f"{where}:"
        yield f"```sh\n{record}\n```"
        return
    yield "In this folder, judge the recorded reports:"
    yield f"```sh\n{judge_command(hunt, fault)}\n```"
    yield f"{where}, and judge the new reports:"
    yield f"```sh\n{record}\n{judge}\n```"


def _markdown(listing: Table) -> str:
    rows = zip(*(map(str, column.cells) for column in listing.columns), strict=True)
    lines = [[str(column.header) for column in listing.columns], ["---"] * len(listing.columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in lines)


def _waiting_text(hunt: Hunt) -> str:
    """Return a sentence about the correct runs in which reports come late, with the smallest such run."""
    runs = hunt.waiting
    run = min(runs, key=lambda one: len(one.pushes))
    t, early, came = next(run.waiting)
    times = [outputs.plain(push.t) for push in run.pushes]
    end = f"with the triple at {times[came]}" if came < len(times) else "at the end of the run"
    every = outputs.quantity(len(hunt.right), "correct run")
    example = f"in a run of {run.query.name} with triples at {', '.join(times)}"
    return (
        f"late replies, which are no fault: in {len(runs)} of {every}, a report comes later than with the "
        f"first triple after its time ({example}, the report of time {outputs.plain(t)} comes {end}, not "
        f"with the triple at {times[early]})"
    )


def index_markdown(hunt: Hunt, folders: Sequence[str], made: Sequence[tuple[str, str]]) -> str:
    """Return a Markdown list of all faults with links to their folders."""
    rows = (
        (
            f"[{title(fault)}]({folder}/README.md)".replace("|", "/"),
            str(len(fault.run.pushes)),
            str(fault.times),
        )
        for fault, folder in zip(hunt.faults, folders, strict=True)
    )
    names = (
        _markdown(outputs.table(None, ("fault", "triples", "runs"), rows))
        if hunt.faults
        else "No fault was found."
    )
    return f"# {hunt.name or 'The engine'} against {hunt.reference.name}\n\n{names}\n\n{_provenance(made)}\n"


def _provenance(made: Sequence[tuple[str, str]]) -> str:
    """Return a Markdown text about the origin of a fault: command, version and files."""
    lines = (f"- {name}: {f'`{value}`' if name == 'command' else value}" for name, value in made)
    return "\n".join(["## How it was found", "", *lines])


def as_json(hunt: Hunt, folders: Sequence[str], refusals: Sequence[tuple[str, str]]) -> outputs.Json:
    """Return the JSON document of a hunt."""
    return {
        "engine": hunt.name or None,
        "reference": hunt.reference.name,
        "runs": hunt.searched + hunt.tests,
        "judged": hunt.judged_runs,
        "wrong": hunt.wrong_runs,
        "failed": len(hunt.failed),
        "late_replies": len(hunt.waiting),
        "unexplained": hunt.left,
        "seed": hunt.limits.seed,
        "queries": [query.name for query in hunt.queries],
        "refused": dict(refusals),
        "faults": [
            {
                "says": fault.sentence,
                "rule": None if fault.rule is None else fault.rule.sentence,
                "right": right_text(hunt, fault),
                "failure": fault.failure,
                "error": error_text(fault),
                "smallest": fault.smallest,
                "runs": fault.times,
                "seconds": round(fault.seconds, 3),
                "repeated": None if fault.repeated and not fault.confirmed else fault.repeated,
                "untried": fault.untried,
                "likely": fault.likely,
                "equal_rules": [rule.sentence for rule in fault.equal_rules],
                "wrong_runs": fault.of or None,
                "contradicted": fault.against,
                "isolated": fault.isolated,
                "other_rules": [rule.sentence for rule in fault.other_rules],
                "query": fault.run.query.registration.query,
                "variables": list(columns(fault.run.query.read)),
                "static": list(fault.run.query.registration.static),
                "stream": [
                    {"t": push.t, "stream": push.stream[1:-1], "triple": f"{' '.join(push.triple)} ."}
                    for push in fault.run.pushes
                ],
                "places": [
                    {
                        "where": _where(fault, place),
                        "right": list(map(list, place.right_rows)),
                        "came": list(map(list, place.came_rows)),
                        "problem": place.problem_text,
                    }
                    for place in _places(fault)
                ],
                "folder": folders[number] if number < len(folders) else None,
            }
            for number, fault in enumerate(hunt.faults)
        ],
        "failures": [{"query": query.name, "problem": problem} for query, problem in hunt.failures],
    }


_MOST_FAULTS: Final = 50
"""The maximum number of faults that are shown one by one."""
_NAMED: Final = 100
_END: Final = "\n"


def _first(texts: Sequence[str]) -> list[str]:
    """Return the first texts of a list on a page, and the number of the other texts."""
    left = len(texts) - _NAMED
    return [*texts[:_NAMED], *([f"… and {left} more"] if left > 0 else [])]


def hunt_page(
    hunt: Hunt,
    folders: Sequence[str],
    refusals: Sequence[tuple[str, str]],
    document: Mapping[str, object],
    *,
    linked: bool = False,
) -> Page:
    """Return the content of the HTML report of all faults.

    If `linked` is true, the report contains links to the folders of the faults.
    """
    name, reference = hunt.name or "The engine", hunt.reference.name
    runs = _runs_text(hunt)
    text = f"No fault was found in {runs}. This does not prove that the engine is correct."
    if hunt.faults:
        smallest = outputs.quantity(min(len(fault.run.pushes) for fault in hunt.faults), "triple")
        faults = outputs.quantity(len(hunt.faults), "fault")
        text = f"{faults} in {runs}. The smallest stream found has {smallest}."
    if hunt.failed:
        text = f"The engine fails in {outputs.quantity(len(hunt.failed), 'run')}. {text}"
    page = _run_content(hunt) | {
        "faults": [
            _fault(hunt, number, fault, folders[number] if number < len(folders) else "")
            for number, fault in enumerate(hunt.faults[:_MOST_FAULTS])
        ],
        "left": max(0, len(hunt.faults) - _MOST_FAULTS),
        "linked": linked,
        "refused": _first([f"{name}: {why.partition(_END)[0]}" for name, why in refusals]),
        "not_run": outputs.quantity(len(refusals), "query"),
    }
    good = False if hunt.faults else None
    return Page(
        f"{name} against {reference}",
        _question(hunt),
        good,
        text,
        template="hunt",
        document=document,
        page=page,
    )


def fault_page(hunt: Hunt, fault: Fault, case: Mapping[str, object]) -> Page:
    """Return the content of the HTML report of one fault."""
    content = {"faults": [_fault(hunt, 0, fault, ".")], "left": 0, "linked": False}
    content |= {"refused": [], "not_run": ""}
    return Page(
        f"{hunt.name}: {title(fault)}",
        _question(hunt),
        False,
        rule_text(fault),
        template="hunt",
        document=case,
        page=_run_content(hunt) | content,
    )


def _question(hunt: Hunt) -> str:
    return f"Does {hunt.name or 'the engine'} give the answers of {hunt.reference.name}?"


def _run_content(hunt: Hunt) -> outputs.Json:
    """Return the data about a hunt for the HTML report: engine, specification, runs and queries."""
    lists = {
        "runs in which the engine failed": [message for _, message in hunt.failed],
        "runs that cannot be judged": [problem for _, problem in _unjudged(hunt)],
    }
    return {
        "ran": [
            ("engine", hunt.name or hunt.engine.name),
            ("started by", hunt.engine.name),
            ("correct behavior", hunt.reference.sentence),
            ("runs", f"{_runs_text(hunt)}; seed {hunt.limits.seed}"),
            *((name, f"{len(why)}; reason for the first: {why[0]}") for name, why in lists.items() if why),
        ],
        "queries": [query.name for query in hunt.queries[:_NAMED]],
        "more": max(0, len(hunt.queries) - _NAMED),
        "count": outputs.quantity(len(hunt.queries), "query"),
    }


def _fault(hunt: Hunt, number: int, fault: Fault, folder: str) -> outputs.Json:
    pushes = fault.run.pushes
    times = [one.t for one in pushes]
    drawn = stream_lanes(((push.t, push.stream, push.triple) for push in pushes), "input")
    ends = (min(times), max(times)) if times else (0, 0)
    record, judge = again_commands(hunt, fault)
    return {
        "number": number + 1,
        "title": title(fault),
        "triples": len(pushes),
        "cut_off": smaller_text(fault),
        "runs": fault.times,
        "seconds": f"{fault.seconds:.1f}",
        "repeated": fault.repeated,
        "folder": folder,
        "query": fault.run.query.registration.query.strip(),
        "static": _first(fault.run.query.registration.static),
        "timeline": lanes_json("times in ms", drawn, ends, outputs.plain) if times else None,
        "stream": page_blocks([stream_table(fault)]),
        "places": None if fault.failure is not None else page_blocks([places_table(fault)]),
        "choice": fault.verdict.choice,
        "why": rule_text(fault),
        "right": f"Right is {right_text(hunt, fault)}.",
        "commands": [record] if fault.failure is not None else [judge_command(hunt, fault), record, judge],
    }
