"""`cite`: BibTeX of this program, and of the papers that its commands rest on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from agreement.documents.options import argument
from agreement.results.base.boundary import Listeners, offered_functions
from agreement.results.base.findings import Result
from lars.errors import LarsError
from lars.version import program_version

_PAPERS: Final = {
    "lars2015": r"""@inproceedings{lars2015,
  author    = {Harald Beck and Minh Dao-Tran and Thomas Eiter and Michael Fink},
  title     = {{LARS}: A Logic-Based Framework for Analyzing Reasoning over Streams},
  booktitle = {Proceedings of the Twenty-Ninth {AAAI} Conference on Artificial Intelligence},
  year      = {2015},
  pages     = {1431--1438}
}""",
    "comparing2015": r"""@inproceedings{comparing2015,
  author    = {Minh Dao-Tran and Harald Beck and Thomas Eiter},
  title     = {Towards Comparing {RDF} Stream Processing Semantics},
  booktitle = {Proceedings of the 1st Workshop on High-Level Declarative Stream Processing ({HiDeSt})},
  year      = {2015}
}""",
    "csparql2010": r"""@article{csparql2010,
  author  = {Davide Francesco Barbieri and Daniele Braga and Stefano Ceri and Emanuele Della Valle
             and Michael Grossniklaus},
  title   = {{C-SPARQL}: A Continuous Query Language for {RDF} Data Streams},
  journal = {International Journal of Semantic Computing},
  volume  = {4},
  number  = {1},
  year    = {2010}
}""",
    "cqels2011": r"""@inproceedings{cqels2011,
  author    = {Danh Le-Phuoc and Minh Dao-Tran and Josiane Xavier Parreira and Manfred Hauswirth},
  title     = {A Native and Adaptive Approach for Unified Processing of Linked Streams and Linked Data},
  booktitle = {The Semantic Web -- {ISWC} 2011},
  year      = {2011}
}""",
    "rspql2014": r"""@article{rspql2014,
  author  = {Daniele Dell'Aglio and Emanuele Della Valle and Jean-Paul Calbimonte and Oscar Corcho},
  title   = {{RSP-QL} Semantics: A Unifying Query Model to Explain Heterogeneity of {RDF} Stream
             Processing Systems},
  journal = {International Journal on Semantic Web and Information Systems},
  volume  = {10},
  number  = {4},
  year    = {2014}
}""",
    "csrbench2013": r"""@inproceedings{csrbench2013,
  author    = {Daniele Dell'Aglio and Jean-Paul Calbimonte and Marco Balduini and Oscar Corcho
               and Emanuele Della Valle},
  title     = {On Correctness in {RDF} Stream Processor Benchmarking},
  booktitle = {The Semantic Web -- {ISWC} 2013},
  year      = {2013}
}""",
    "yabench2016": r"""@inproceedings{yabench2016,
  author    = {Maxim Kolchin and Peter Wetz and Elmar Kiesling and A Min Tjoa},
  title     = {{YABench}: A Comprehensive Framework for {RDF} Stream Processor Correctness and
               Performance Assessment},
  booktitle = {Web Engineering -- {ICWE} 2016},
  year      = {2016}
}""",
}
_ENGINES: Final = ("csparql2010", "cqels2011")
_COMPARED: Final = ("comparing2015", "lars2015", *_ENGINES)
_JUDGED: Final = ("rspql2014", "csrbench2013", "yabench2016", *_ENGINES)
_RESTS_ON: Final = {
    **dict.fromkeys(("agree", "decide", "witness", "shrink", "phase", "translate"), _COMPARED),
    **dict.fromkeys(("solve", "explain", "check", "export", "fmt"), ("lars2015", *_ENGINES)),
    **dict.fromkeys(("judge", "compare", "record", "hunt", "suite"), _JUDGED),
    "run": tuple(dict.fromkeys((*_COMPARED, *_JUDGED))),
    "generate": ("yabench2016",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CiteRequest:
    """Print BibTeX of this program, and of the papers that its verdicts rest on.

    Example:
    lars cite agree
    """

    commands: tuple[str, ...] = argument(
        "COMMAND..", "Commands whose results are used. [default: all]", default=()
    )


@dataclass(frozen=True, slots=True)
class Citations(Result):
    """What `cite` returns: entries of BibTeX, that of this program first."""

    entries: tuple[str, ...]

    def parts(self) -> Iterable[str]:
        """Yield the entries."""
        return self.entries


@offered_functions(CiteRequest)
def cite(request: CiteRequest, told: Listeners) -> Citations:
    """Return BibTeX of this program, and of the papers that commands rest on, of all if none is named.

    >>> [entry.partition(",")[0] for entry in cite("generate").entries]
    ['@software{lars', '@inproceedings{yabench2016']
    """
    del told
    for name in request.commands:
        if name not in _RESTS_ON:
            raise LarsError(f"found {name!r}; accepted: {', '.join(_RESTS_ON)}")
    wanted = request.commands or tuple(_RESTS_ON)
    papers = dict.fromkeys(paper for name in wanted for paper in _RESTS_ON[name])
    return Citations((_software(), *(_PAPERS[paper] for paper in papers)))


def _software() -> str:
    return f"""@software{{lars,
  title   = {{lars: continuous {{RDF}} queries as {{LARS}} programs, and whether two engines agree}},
  version = {{{program_version()}}}
}}"""
