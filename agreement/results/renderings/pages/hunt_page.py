"""The page of `lars hunt`: each fault with its smallest stream, what is right and came; what was run."""

from collections.abc import Mapping, Sequence
from typing import Final

from agreement.documents.outputs import Json, plain, quantity, short
from agreement.proving.hunting import Fault, Hunt
from agreement.results.renderings.comparisons.hunt_report import (
    compare_command,
    judge_command,
    places_table,
    right_text,
    rule_text,
    stream_table,
    title,
)
from agreement.results.renderings.pages.blocks import Lane, lanes_json, page_blocks
from agreement.results.renderings.pages.page import Page, PageHead

_MOST: Final = 50
"""So many faults are shown one by one."""
_NAMED: Final = 100


def hunt_page(
    hunt: Hunt,
    folders: Sequence[str],
    refusals: Sequence[tuple[str, str]],
    document: Mapping[str, object],
    *,
    linked: bool = False,
) -> Page:
    """Return the page; where it is `linked` it lies beside the folders of the faults, if they are written."""
    name, reference = hunt.name or "The engine", hunt.reference.name
    runs = f"{quantity(hunt.runs, 'run')}, {hunt.judged_runs} judged"
    text = f"No fault in {runs}: that proves nothing."
    if hunt.faults:
        smallest = quantity(min(len(fault.run.pushes) for fault in hunt.faults), "triple")
        text = f"{quantity(len(hunt.faults), 'fault')} in {runs}; the smallest stream has {smallest}."
    page = _ran_on(hunt) | {
        "faults": [
            _fault(hunt, number, fault, folders[number] if number < len(folders) else "")
            for number, fault in enumerate(hunt.faults[:_MOST])
        ],
        "left": max(0, len(hunt.faults) - _MOST),
        "linked": linked,
        "refused": [(name, why.partition("\n")[0]) for name, why in refusals[:_NAMED]],
    }
    good = False if hunt.faults else None
    return Page(PageHead(f"{name} against {reference}", _question(hunt), good, text), "hunt", document, page)


def fault_page(hunt: Hunt, fault: Fault, case: Mapping[str, object]) -> Page:
    """Return the page of one fault, which lies beside its case."""
    content = {"faults": [_fault(hunt, 0, fault, ".")], "left": 0, "linked": False, "refused": []}
    head = PageHead(f"{hunt.name}: {title(fault)}", _question(hunt), False, rule_text(fault))
    return Page(head, "hunt", case, _ran_on(hunt) | content)


def _question(hunt: Hunt) -> str:
    return f"Does {hunt.name or 'the engine'} answer as {hunt.reference.name} says?"


def _ran_on(hunt: Hunt) -> Json:
    return {
        "ran": _ran(hunt),
        "queries": [query.name for query in hunt.queries[:_NAMED]],
        "more": max(0, len(hunt.queries) - _NAMED),
    }


def _ran(hunt: Hunt) -> list[tuple[str, str]]:
    """Return what was run, by names."""
    failed = [] if not hunt.failures else [f"{len(hunt.failures)}, the first: {hunt.failures[0].problem}"]
    return [
        ("engine", hunt.name or hunt.engine.name),
        ("started by", hunt.engine.name),
        ("right is", hunt.reference.sentence),
        ("runs", f"{hunt.runs}, of which {hunt.judged_runs} were judged; seed {hunt.limits.seed}"),
        *(("runs that failed", text) for text in failed),
    ]


def _fault(hunt: Hunt, number: int, fault: Fault, folder: str) -> Json:
    pushes = fault.run.pushes
    lanes: dict[str, list[tuple[float, str, str]]] = {}
    for push in pushes:
        lanes.setdefault(short(push.stream), []).append((push.t, "input", " ".join(map(short, push.triple))))
    times = [one.t for one in pushes]
    drawn = [Lane(name, marks) for name, marks in lanes.items()]
    ends = (min(times), max(times)) if times else (0, 0)
    return {
        "number": number + 1,
        "title": title(fault),
        "triples": len(pushes),
        "runs": fault.times,
        "seconds": f"{fault.seconds:.1f}",
        "repeated": fault.repeated,
        "folder": folder,
        "query": fault.run.query.registration.query.strip(),
        "static": list(fault.run.query.registration.static[:_NAMED]),
        "timeline": lanes_json("times in ms", drawn, ends, plain) if times else None,
        "stream": page_blocks([stream_table(fault)]),
        "places": page_blocks([places_table(fault)]),
        "choice": fault.verdict.choice,
        "why": rule_text(fault),
        "right": f"Right is {right_text(hunt, fault)}.",
        "commands": [judge_command(hunt), compare_command(hunt)],
    }
