"""The function `cite`: BibTeX entries of this program, and of the papers on its methods."""

import re
from importlib.resources import files
from typing import Final

from agreement.results.base.library import Listeners, PrintedTexts, offered_functions
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.options import argument
from lars.version import program_version

_ENTRY: Final = re.compile(r"@\w+\{(\w+),\n.*?\n\}", re.DOTALL)
_ENGINES: Final = ("csparql2010", "cqels2011")
_COMPARED: Final = ("comparing2015", "lars2015", *_ENGINES)
_JUDGED: Final = ("rspql2014", "csrbench2013", "yabench2016", *_ENGINES)
_RESTS_ON: Final = {
    **dict.fromkeys(("agree", "watch", "decide", "witness", "shrink", "phase", "translate"), _COMPARED),
    **dict.fromkeys(("solve", "explain", "check", "export", "fmt"), ("lars2015", *_ENGINES)),
    **dict.fromkeys(("judge", "compare", "record", "hunt", "suite"), _JUDGED),
    "run": tuple(dict.fromkeys((*_COMPARED, *_JUDGED))),
    "generate": ("yabench2016",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CiteRequest:
    """The arguments of `lars cite`.

    Prints the entries of the papers that describe the methods of the commands.

    Example:
    lars cite agree
    """

    commands: tuple[str, ...] = argument(
        "COMMAND..", "Commands whose results you use in a publication. [default: all]", default=()
    )


@offered_functions(CiteRequest)
def cite(request: CiteRequest, listeners: Listeners) -> PrintedTexts:
    """Return BibTeX entries of this program and of the papers on the given commands (by default, all).

    >>> [entry.partition(",")[0] for entry in cite("generate").texts]
    ['@software{lars', '@inproceedings{yabench2016']
    """
    del listeners
    for name in request.commands:
        if name not in _RESTS_ON:
            raise LarsError(f"found {name!r}; expected {', '.join(_RESTS_ON)}")
    names = request.commands or tuple(_RESTS_ON)
    papers = dict.fromkeys(paper for name in names for paper in _RESTS_ON[name])
    text = files("agreement.results.suites").joinpath("papers.bib").read_text(encoding="utf-8")
    entries = {match[1]: match[0] for match in _ENTRY.finditer(text)}
    return PrintedTexts((_software(), *map(entries.__getitem__, papers)))


def _software() -> str:
    return f"""@software{{lars,
  title   = {{lars: continuous {{RDF}} queries as {{LARS}} programs, and whether two engines agree}},
  version = {{{program_version()}}}
}}"""
