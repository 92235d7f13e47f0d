"""Tables as text: for terminals of a given width, and for papers in Markdown and LaTeX (booktabs).

In a terminal, a line ends between words, and not inside a term or an interval.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from lars.errors import on_one_line

_BESIDE: Final = 3
"""The width between two columns: a bar and two spaces. A row ends with one more bar."""
_BRIEF: Final = 24
"""The greatest length of a value that shares a line with others if a row is too wide for columns."""
_TALLEST: Final = 4
"""The greatest number of lines of a value in a column; otherwise each value is printed on its own line."""
_INDENT: Final = "  "


class FoldingTable(Table):
    """A table whose columns are at least as wide as their longest word.

    If the table is too wide or too high for the page, each row is printed as several lines. The first lines
    contain the short values with the names of their columns. Each long value has a separate line.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the title, wrapped at the width of the page, and the rows as columns or lines."""
        title, self.title = self.title, None
        try:
            if title is not None:
                heading = Text(str(title), style="table.title")
                yield from map(_ended, heading.wrap(console, options.max_width))
            cells = [[_text(console, cell) for cell in (each.header, *each.cells)] for each in self.columns]
            widths = self._widths(cells, options.max_width - _BESIDE * len(cells) - 1)
            if widths is None or _highest(console, cells, widths) > _TALLEST:
                yield from _lines(console, cells, options.max_width)
                return
            for column, width in zip(self.columns, widths, strict=True):
                column.width = width
            yield from super().__rich_console__(console, options)
        finally:
            self.title = title

    def _widths(self, cells: Sequence[Sequence[Text]], room: int) -> list[int] | None:
        """Return the widths of the columns within `room`; None if the longest words do not fit."""
        whole = [max(line.cell_len for text in column for line in text.split()) for column in cells]
        words = [
            most if column.no_wrap else max(map(_longest_word, texts))
            for column, texts, most in zip(self.columns, cells, whole, strict=True)
        ]
        left = room - sum(words)
        if left < 0:
            return None
        # Who lacks little gets it all first; what is left is for those that lack much.
        wanting = sorted(range(len(cells)), key=lambda place: whole[place] - words[place])
        for number, place in enumerate(wanting):
            more = min(whole[place] - words[place], left // (len(wanting) - number))
            words[place] += more
            left -= more
        return words


def _text(console: Console, cell: object) -> Text:
    return cell if isinstance(cell, Text) else console.render_str(str(cell))


def _longest_word(text: Text) -> int:
    return max((Text(word).cell_len for word in text.plain.split()), default=0)


def _highest(console: Console, cells: Sequence[Sequence[Text]], widths: Sequence[int]) -> int:
    """Return the maximum number of lines that wrapping gives a value in columns of the given widths."""
    return max(
        (
            len(text.wrap(console, width)) - text.plain.count("\n")
            for column, width in zip(cells, widths, strict=True)
            for text in column[1:]
            if text.cell_len > width
        ),
        default=1,
    )


def _lines(console: Console, cells: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    names = [column[0].plain for column in cells]
    for row in zip(*(column[1:] for column in cells), strict=True):
        named = [(name, value) for name, value in zip(names, row, strict=True) if value.plain.strip()]
        brief = [_with_name(name, " ", value) for name, value in named if _is_brief(value)]
        yield from _side_by_side(brief, width)
        for name, value in named:
            if not _is_brief(value):
                first, *others = _with_name(name, ": ", value).wrap(console, width - 2 * len(_INDENT))
                yield Text(_INDENT).append_text(_ended(first))
                yield from (Text(2 * _INDENT).append_text(_ended(text)) for text in others)


def _is_brief(value: Text) -> bool:
    return value.cell_len <= _BRIEF and "\n" not in value.plain


def _with_name(name: str, joint: str, value: Text) -> Text:
    return Text.assemble((f"{name}{joint}", "dim"), value) if name else value


def _side_by_side(items: Sequence[Text], width: int) -> Iterator[Text]:
    line = Text()
    for item in items:
        if line and line.cell_len + _BESIDE + item.cell_len > width:
            yield line
            line = Text(_INDENT)
        elif line:
            line.append(" · ")
        line.append_text(item)
    yield line


def _ended(line: Text) -> Text:
    line.rstrip()
    return line


_IN_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>#|~]|&(?=[#\w]))")
_IN_LATEX: Final = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
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
    r"""Yield a table in Markdown, with numbers right-aligned.

    >>> print(*markdown_lines(["U", "?a"], [True, False], [["8", "x|y"]]), sep="\n")
    | U | ?a |
    | ---: | --- |
    | 8 | x\|y |
    """
    yield _row(map(in_markdown, names))
    yield _row("---:" if flag else "---" for flag in right)
    for row in rows:
        yield _row(map(in_markdown, row))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def in_markdown(text: str) -> str:
    """Return a text on one line, escaped for Markdown."""
    return _IN_MARKDOWN.sub(r"\\\1", on_one_line(text))


def latex_lines(names: Sequence[str], right: Sequence[bool], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""Yield a table in LaTeX for a document with \usepackage{booktabs}; numbers are right-aligned.

    >>> print(*latex_lines(["U", "push_only"], [True, True], [["8", "1"]]), sep="\n")
    \begin{tabular}{rr}
    \toprule
    U & push\_only \\
    \midrule
    8 & 1 \\
    \bottomrule
    \end{tabular}
    """
    yield rf"\begin{{tabular}}{{{''.join('r' if flag else 'l' for flag in right)}}}"
    yield r"\toprule"
    yield _line(names)
    yield r"\midrule"
    for row in rows:
        yield _line(row)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _line(cells: Iterable[str]) -> str:
    line = rf"{' & '.join(map(in_latex, cells))} \\"
    # After \\ and \midrule, LaTeX reads [ and * as the beginning of an argument.
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def in_latex(text: str) -> str:
    """Return a text on one line, escaped for LaTeX."""
    return "".join(_IN_LATEX.get(character, character) for character in on_one_line(text))
