"""Store input atoms in a folder of Arrow files, one file for each predicate."""

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from lars.language.terms import Signature
from solver.columns.arrays import numbers_of
from solver.columns.coded_columns import InputAtoms, TermCodes, TraceColumns

_TIME, _ARRIVAL, _ARGUMENT = "t", "arrival", "argument"
_ENDING: Final = ".arrow"


def write_atoms(folder: Path, columns: TraceColumns) -> None:
    """Write the input atoms of a trace, in order of arrival, as Arrow files to an existing folder."""
    for (name, arity), some in columns.atoms.items():
        texts = [columns.terms.arrow(column).dictionary_encode() for column in some.columns]
        names = [f"{_ARGUMENT}{number}" for number in range(arity)]
        table = pa.table([pa.array(some.t), pa.array(some.arrival), *texts], [_TIME, _ARRIVAL, *names])
        with (
            pa.OSFile(str(folder / f"{name}-{arity}{_ENDING}"), "wb") as file,
            pa.ipc.new_file(file, table.schema) as writer,
        ):
            writer.write_table(table)


def read_atoms(folder: Path, last: int) -> TraceColumns:
    """Return the trace that `write_atoms` has written to a folder; `last` is the last time of the trace."""
    terms = TermCodes()
    atoms: dict[Signature, InputAtoms] = {}
    for path in sorted(folder.glob(f"*{_ENDING}")):
        with pa.OSFile(str(path), "rb") as file:
            table = pa.ipc.open_file(file).read_all().combine_chunks()
        name, _, arity = path.stem.rpartition("-")
        t, arrival = (table[each].to_numpy().astype(np.int64) for each in (_TIME, _ARRIVAL))
        columns = []
        for number in range(int(arity)):
            texts = table[f"{_ARGUMENT}{number}"].combine_chunks()
            columns.append(terms.codes(texts.dictionary.to_pylist())[numbers_of(texts.indices)])
        atoms[name, int(arity)] = InputAtoms(t, arrival, tuple(columns))
    return TraceColumns(terms, atoms, last)
