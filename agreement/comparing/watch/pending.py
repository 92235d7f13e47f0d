"""Find the pending elements of a stream, which are the elements that later evaluations need."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from agreement.comparing.agree import VariantReport
from lars.analysis import reach
from lars.language.program import Program
from lars.language.terms import Signature
from lars.language.windows import Interval, TupleWindow
from solver.columns import Array, InputAtoms, TermCodes, TraceColumns, in_time_order, used_texts
from solver.job.slices import carried_atoms, join_atoms
from solver.rdf import is_of_file, with_blanks

_BLANK: Final = "_:"
_FILE_BLANK: Final = re.compile(r"_:f([0-9]+)\.")


def delays(columns: TraceColumns, newest: int | None) -> Mapping[Signature, Array]:
    """Return the delay of each atom: the newest time of all earlier arrivals minus the time of the atom.

    Atoms that are not late have the delay 0. `newest` is the time of the newest element of earlier batches,
    or None.
    """
    numbers = [some.arrival for some in columns.atoms.values()]
    times = [some.t for some in columns.atoms.values()]
    if not numbers:
        return {}
    order = np.argsort(np.concatenate(numbers), kind="stable")
    t = np.concatenate(times)[order]
    reached = np.maximum.accumulate(t if newest is None else np.maximum(t, newest))
    behind = np.empty(len(t), np.int64)
    behind[order] = reached - t
    borders = np.cumsum([len(some) for some in times])[:-1]
    return dict(zip(columns.atoms, np.split(behind, borders), strict=True))


def with_own_blanks(new: TraceColumns, files: int) -> TraceColumns:
    """Return a batch of elements with blank nodes that differ from the blank nodes of all earlier batches.

    `files` is the number of files that earlier batches have read: blank nodes of different files differ.
    """

    def renamed(label: str) -> str:
        if not is_of_file(label):
            return label
        return _FILE_BLANK.sub(lambda match: f"_:f{int(match[1]) + files}.", label)

    if not files or not any(_BLANK in text for text in new.terms.atom_texts(np.arange(len(new.terms)))):
        return new
    return _recoded(new, TermCodes(), lambda text: with_blanks(text, renamed))


def joined(pending: TraceColumns, new: TraceColumns) -> TraceColumns:
    """Return the pending elements and the new elements, which have arrived later, in order of time."""
    begin = 1 + max((int(some.arrival.max(initial=-1)) for some in pending.atoms.values()), default=-1)
    added = _recoded(new, pending.terms)
    later = {name: replace(some, arrival=some.arrival + begin) for name, some in added.atoms.items()}
    atoms = in_time_order(join_atoms(pending.atoms, later))
    return TraceColumns(pending.terms, atoms, max(pending.last, new.last))


def _recoded(columns: TraceColumns, terms: TermCodes, rename: Callable[[str], str] = str) -> TraceColumns:
    """Return the same elements, with terms numbered as in `terms`; `rename` changes the texts of terms."""
    atoms: dict[Signature, InputAtoms] = {}
    for name, some in columns.atoms.items():
        texts, places = used_texts(some.columns, columns.terms)
        codes = terms.codes(map(rename, texts))
        atoms[name] = replace(some, columns=tuple(codes[place] for place in places))
    return TraceColumns(terms, atoms, columns.last)


def needed_after(
    columns: TraceColumns,
    end: int,
    longest: int,
    variants: tuple[VariantReport, ...],
    before: frozenset[int] = frozenset(),
) -> TraceColumns:
    """Return the elements that evaluations after the time `end`, and at the times `before`, need.

    The search for causes evaluates the query at times before `end`, up to the longest pull period earlier.
    For a window without a length, all elements are needed. For a tuple-based window, triples before the first
    evaluation are needed, too.
    """
    programs = dict.fromkeys(
        program
        for variant in variants
        for program in (variant.programs.push, variant.programs.pull, variant.programs.merged)
    )
    far = reach(Program(tuple(rule for program in programs for rule in program.rules)))
    if far.past is None:
        atoms = columns.atoms
    else:
        if far.tuples:
            end, before = min((end, *before)), frozenset()
        border = end - longest - far.past
        older, recent = (
            {name: some.within(part) for name, some in columns.atoms.items()}
            for part in (Interval(0, border), Interval(border + 1, columns.last))
        )
        windows = tuple(window for window in far.tuples if isinstance(window, TupleWindow))
        times, ahead = np.array(sorted(before), np.int64), far.future or 0
        # With other bounds, a window may contain one time point more.
        earlier = {name: some.near(times, far.past + 1, ahead) for name, some in older.items()}
        carried = carried_atoms(windows, older, columns.terms) if windows else earlier
        atoms = join_atoms(carried, recent)
    return _recoded(replace(columns, atoms=atoms), TermCodes())
