"""Specifications by name or from a file of the user's: its fields, and what a wrong one is told."""

import re
from pathlib import Path
from typing import Final

from agreement.experiment_values import ABSOLUTE_IRI, WrongValueError
from agreement.placed import PlacedData, checked, read_toml
from agreement.specifications.builtin import NAMES, builtin, builtin_text
from agreement.specifications.specification import Specification, Strategy
from agreement.toml_fields import fields_of
from lars.errors import LarsError

SUFFIX: Final = ".toml"
ACCEPTED: Final = f"a specification: one of {', '.join(NAMES)}, or a TOML file (*{SUFFIX})"
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")


def specification(name: str) -> Specification:
    """Return the specification of that name, or of the TOML file that it is the path of."""
    if name in NAMES:
        return builtin(name)
    if name.endswith(SUFFIX):
        return read_specification(Path(name))
    raise LarsError(f"found the specification {name!r}; accepted: {ACCEPTED}")


def read_specification(path: Path) -> Specification:
    """Return the specification that a TOML file describes; raises LarsError with the place of a fault."""
    toml = read_toml(path, ACCEPTED)
    found = checked(Specification, toml)
    _check_windows(toml, found)
    _check_period(toml, found)
    return found


def _check_windows(toml: PlacedData, found: Specification) -> None:
    for name in found.windows:
        if not (_NUMBER.fullmatch(name) or ABSOLUTE_IRI.fullmatch(name)):
            problem = f'found the window "{name}"; accepted: the IRI of its stream, or its number, from 1'
            raise toml.error(("windows", name), problem, at_key=True)


def _check_period(toml: PlacedData, found: Specification) -> None:
    named = {("report",): found.report} | {("windows", key): own for key, own in found.windows.items()}
    for path, strategies in named.items():
        if Strategy.PERIODIC in strategies and found.period is None:
            problem = 'found "periodic" without a period; accepted: with a period, as in period = "1s"'
            raise toml.error(path, WrongValueError(problem, part=Strategy.PERIODIC.value))


def fields_text() -> str:
    """Return what each field of a specification file means, and its default, for readers."""
    built_in = (f"# {name}.toml, built in\n{builtin_text(name)}" for name in NAMES)
    return "\n\n".join((fields_of(Specification), *built_in))
