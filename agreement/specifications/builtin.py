"""The specifications that come with the program: one TOML file each, in this folder."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from agreement.specifications.specification import Specification

NAMES: Final = ("csparql", "cqels", "sparqlstream", "rspql")


@cache
def builtin(name: str) -> Specification:
    """Return the specification of one of NAMES."""
    return Specification.model_validate(tomllib.loads(builtin_text(name)))


def builtin_text(name: str) -> str:
    """Return the TOML text of one of NAMES."""
    return files("agreement.specifications").joinpath(f"{name}.toml").read_text(encoding="utf-8")
