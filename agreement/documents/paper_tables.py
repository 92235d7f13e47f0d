"""Tables for papers: Markdown, and LaTeX with the rules of the package booktabs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lars.errors import on_one_line

_IN_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>#|])")
_IN_LATEX: Final = {
    **{one: f"\\{one}" for one in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def markdown_lines(
    names: Sequence[str], right: Sequence[bool], rows: Iterable[Sequence[str]]
) -> Iterator[str]:
    r"""Yield a table in Markdown; numbers stand right.

    >>> print(*markdown_lines(["U", "?a"], [True, False], [["8", "x|y"]]), sep="\n")
    | U | ?a |
    | ---: | --- |
    | 8 | x\|y |
    """
    yield _row(map(in_markdown, names))
    yield _row("---:" if one else "---" for one in right)
    for row in rows:
        yield _row(map(in_markdown, row))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def in_markdown(text: str) -> str:
    """Return a text, on one line, that stands for itself in Markdown."""
    return _IN_MARKDOWN.sub(r"\\\1", on_one_line(text))


def latex_lines(names: Sequence[str], right: Sequence[bool], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""Yield a table in LaTeX, for a document with \usepackage{booktabs}; numbers stand right.

    >>> print(*latex_lines(["U", "push_only"], [True, True], [["8", "1"]]), sep="\n")
    \begin{tabular}{rr}
    \toprule
    U & push\_only \\
    \midrule
    8 & 1 \\
    \bottomrule
    \end{tabular}
    """
    yield rf"\begin{{tabular}}{{{''.join('r' if one else 'l' for one in right)}}}"
    yield r"\toprule"
    yield _line(names)
    yield r"\midrule"
    for row in rows:
        yield _line(row)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _line(cells: Iterable[str]) -> str:
    return rf"{' & '.join(map(_in_latex, cells))} \\"


def _in_latex(text: str) -> str:
    return "".join(_IN_LATEX.get(one, one) for one in on_one_line(text))
