r"""Write the rules of a LARS program in LaTeX for papers, with the packages amsmath and amssymb.

Each IRI is written by its local name. Comments above the rules list the full IRI of each name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agreement.documents.text_tables import in_latex
from lars.errors import on_one_line
from lars.language.program import Program, write_literal

_TOKEN: Final = re.compile(
    r'(?P<text>"(?:\\.|[^"\\])*"(?:@[A-Za-z0-9-]+|\^\^<[^<>\s]*>)?)'
    r"|(?P<iri><[A-Za-z][A-Za-z0-9+.-]*:[^<>\s\"]*>)"
    r"|⊞\^(?P<window>\{[^{}]*\}|#?[\w∞]+)"
    r"|@_(?P<time>\??\w+)"
    r"|(?P<variable>\?\w+)"
    r"|(?P<number>-?\d+(?:\.\d+)?)(?!\w)"
    r"|(?P<word>[^\W\d]\w*)(?P<primes>'*)"
    r"|(?P<quoted>'(?:\\.|[^'\\])*')"
    r"|(?P<sign><=|>=|!=|:=|&&|\|\||[◇□¬←=<>+*/!(){}\[\],.:;-])"
    r"|(?P<space>\s+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_SIGNS: Final = {
    "<=": r"\leq ",
    ">=": r"\geq ",
    "!=": r"\neq ",
    ":=": r"\mathrel{:=} ",
    "&&": r"\wedge ",
    "||": r"\vee ",
    "◇": r"\Diamond ",
    "□": r"\Box ",
    "¬": r"\neg ",
    "!": r"\neg ",
    "←": r"\leftarrow ",
    "{": r"\{",
    "}": r"\}",
}
_KEYWORDS: Final = frozenset(
    ("not", "COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT", "DISTINCT", "of", "by")
)
_WORD_BEFORE: Final = re.compile(r"(?:[\w)\"'}]|<[^<>\s]+>)$")
_WORD_AFTER: Final = re.compile(r"[\w?\"']|<[^<>\s]+>")
_INDEXED: Final = re.compile(r"(?:⊞\^(?:\{[^{}]*\}|#?[\w∞]+)|@_\??\w+)$")
"""A window or @ with a time, which LaTeX writes with a superscript or index: no space follows."""
_NUMBERED: Final = re.compile(r"([A-Za-z]+)(\d+)")
_INTEGER: Final = re.compile(r'"(-?\d+)"\^\^<http://www\.w3\.org/2001/XMLSchema#integer>')
_WORDS: Final = re.compile(r" ?[A-Za-z][A-Za-z-]* ?")
_IRIS: Final = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]*:[^<>\s\"]*)>")
_LONGEST: Final = 90
"""The maximum number of characters of a rule's text in one line, unless a single literal is longer."""


def latex_rules(program: Program) -> Iterator[str]:
    """Yield the lines of a program in LaTeX: comments with the full IRI of each name, then the rules."""
    names = _names([str(rule) for rule in program.rules])
    yield r"% \usepackage{amsmath,amssymb}"
    yield from (f"% {name}: {on_one_line(iri)}" for iri, name in names.items())
    yield r"\begin{align*}"
    lines = [line for rule in program.rules for line in _lines_of(rule.head, rule.body, names)]
    yield from (rf"{line} \\" for line in lines[:-1])
    yield from lines[-1:]
    yield r"\end{align*}"


def _lines_of(head: object, body: Sequence[object], names: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a rule in LaTeX, without line breaks.

    A long body continues on further lines.
    """
    first = "" if head is None else _latex(str(head), names)
    if not body:
        yield f"& {first}."
        return
    literals = [write_literal(literal) for literal in body]  # type: ignore[arg-type]
    groups: list[list[str]] = [[]]
    for literal in literals:
        if groups[-1] and sum(map(len, groups[-1])) + len(literal) > _LONGEST:
            groups.append([])
        groups[-1].append(literal)
    for number, group in enumerate(groups):
        start = rf"& {first} \leftarrow " if number == 0 else r"& \qquad "
        end = "," if number < len(groups) - 1 else "."
        yield start + r",\; ".join(_latex(literal, names) for literal in group) + end


def _names(rules: Sequence[str]) -> dict[str, str]:
    """Return a short name for each IRI in the rules: its local name, with ' if another IRI has this name."""
    names: dict[str, str] = {}
    for iri in dict.fromkeys(iri for rule in rules for iri in _IRIS.findall(rule)):
        name = re.split(r"[/#:]", iri.rstrip("/#:"))[-1] or iri
        while name in names.values():
            name += "'"
        names[iri] = name
    return names


def _latex(text: str, names: Mapping[str, str]) -> str:
    r"""Return a part of a rule in LaTeX's math mode.

    >>> print(_latex('⊞^{3,0,3} ◇ p(?x, "a_b", 20)', {}))
    \boxplus^{3,0,3} \Diamond \textit{p}(\textit{?x}, \textrm{``a\_b''}, 20)
    """
    return "".join(_token(match, names) for match in _TOKEN.finditer(text)).rstrip()


def _token(match: re.Match[str], names: Mapping[str, str]) -> str:
    written = match[0]
    match "word" if match["word"] else match.lastgroup:
        case "text":
            return _literal(written, names)
        case "iri":
            return rf"\textit{{{in_latex(names.get(written[1:-1], written))}}}"
        case "window":
            inside = match["window"].strip("{}").replace("#", r"\#")
            words = _WORDS.sub(lambda word: rf"\text{{{word[0]}}}", inside).replace("∞", r"\infty ")
            return rf"\boxplus^{{{words}}}"
        case "time":
            return rf"@_{{{_word(match['time'])}}}"
        case "word":
            primes = r"\textrm{'}" * len(match["primes"])
            if written in _KEYWORDS and _is_keyword(match):
                return rf"\mathrm{{{in_latex(written)}}}" + (r"\;" if written == "not" else "")
            return _word(match["word"]) + primes
        case "variable":
            return _word(written)
        case "number":
            return written
        case "sign":
            return _SIGNS.get(written, written)
        case "space":
            return "" if _follows_sign(match) else r"\ " if _parts_words(match) else " "
        case _:
            return rf"\textrm{{{in_latex(written)}}}"


def _follows_sign(match: re.Match[str]) -> bool:
    """Return whether the matched space follows a sign that is written as a LaTeX command with a space."""
    before = match.string[: match.start()]
    return before.endswith((*"◇□¬←", "<=", ">=", "!=", ":=", "&&", "||", "not"))


def _is_keyword(match: re.Match[str]) -> bool:
    """Return whether `of` and `by` stand between two parts of an aggregate, and are no names."""
    around = match.string[match.start() - 1 : match.start()] + match.string[match.end() :][:1]
    return match[0] not in ("of", "by") or around == "  "


def _parts_words(match: re.Match[str]) -> bool:
    """Return whether the matched space is between two words, which math mode would join."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return bool(_WORD_BEFORE.search(before) and _WORD_AFTER.match(after) and not _INDEXED.search(before))


def _word(word: str) -> str:
    if word.isdecimal():
        return word
    if numbered := _NUMBERED.fullmatch(word):
        return rf"\textit{{{numbered[1]}}}_{{{numbered[2]}}}"
    return rf"\textit{{{in_latex(word)}}}"


def _literal(written: str, names: Mapping[str, str]) -> str:
    """Return a literal in LaTeX: an integer as a number, other literals as quoted text."""
    if integer := _INTEGER.fullmatch(written):
        return integer[1]
    end = written.rindex('"')
    text, rest = written[1:end], written[end + 1 :]
    kind = f"^^{names.get(rest[3:-1], rest[3:-1])}" if rest.startswith("^^") else rest
    return rf"\textrm{{``{in_latex(text)}''{in_latex(kind)}}}"
