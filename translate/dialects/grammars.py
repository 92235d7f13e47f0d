"""The grammars of the query languages, and messages for keywords of other languages."""

from functools import partial
from typing import Final

from lars.errors import PlacedError
from lars.language.formulas import AGGREGATES
from translate.errors import QueryError, UnsupportedError
from translate.model.manner import OPERATORS
from translate.model.query import Language
from translate.sparql import Document, Token, is_name
from translate.sparql.syntax_tree import Grammar

CLAUSE: Final = "FROM NAMED WINDOW <name> ON <iri> [RANGE duration STEP duration]"
TITLES: Final = {language: language.manner.title for language in Language}


def _clause_at(document: Document, token: Token) -> str:
    """Return the name of the streaming clause that begins at a token, such as "FROM STREAM", or ""."""
    before, _, following = document.around(token)
    word = token.text.upper()
    if token.is_word("REGISTER", *OPERATORS):
        return f"REGISTER {word}" if before.is_word("REGISTER") else word
    if not token.is_word("STREAM", "WINDOW"):
        return ""
    if before.is_word("FROM", "NAMED"):
        return f"FROM {word}"
    return f"a {word} block" if is_name(following) or following.kind == "a variable" else ""


def clauses_in(document: Document, language: Language) -> int:
    """Return the number of tokens that look like the start of a streaming clause of the language."""
    return sum(_clause_at(document, token) in language.manner.clauses for token in document.tokens)


def _bare_aggregates(document: Document) -> dict[int, tuple[int, bool]]:
    """Map the offset of each aggregate without brackets to its end, and to whether AS follows.

    In COUNT(?x) AS ?n, the end is that of AS. Aggregates without AS count only between SELECT and the next
    clause.
    """
    found: dict[int, tuple[int, bool]] = {}
    opened: list[Token | None] = []
    around = zip(document.tokens, document.tokens[1:], document.tokens[2:], strict=False)
    outer, is_selected = document.tokens[0], False
    for call, token, following in around:
        if call.is_word("SELECT", "WHERE", "FROM", "{"):
            is_selected = call.is_word("SELECT")
        if token.is_word("("):
            opened.append(call if call.is_word(*AGGREGATES) and not outer.is_word("(") else None)
        elif token.is_word(")") and opened and (begin := opened.pop()):
            if following.is_word("AS"):
                found[begin.start] = following.end, True
            elif is_selected:
                found[begin.start] = token.end, False
        outer = call
    return found


def without_bare_aggregates(document: Document) -> str:
    """Return the text with spaces in place of `COUNT(?x) AS` if this aggregate has no outer brackets.

    A variable replaces an aggregate without AS. The offsets of all other tokens, such as the variable after
    AS, are unchanged.
    """
    pieces, end = [], 0
    for start, (stop, is_named) in sorted(_bare_aggregates(document).items()):
        if start >= end:
            pieces += [document.text[end:start], ("" if is_named else "?x").ljust(stop - start)]
            end = stop
    return "".join((*pieces, document.text[end:]))


def known_fault(language: Language, document: Document, offset: int) -> PlacedError | None:
    """Return the error for a known invalid construct at the offset, or None.

    A known invalid construct is a form of queries that the language lacks, such as CONSTRUCT, or an aggregate
    without brackets. The argument `offset` is the place of the first error that the grammar of the language
    finds.
    """
    token = next((one for one in document.tokens if one.start == offset), None)
    lacking = {form for other in Language for form in other.manner.forms} - {*language.manner.forms}
    if token is not None and token.is_word(*lacking):
        construct = f"{token.text.upper()} of {TITLES[language]}"
        covered = ", ".join(language.manner.forms)
        return UnsupportedError(construct, document.place(offset), covered=covered)
    for start, (end, is_named) in _bare_aggregates(document).items():
        # Some grammars read the aggregate, and fail only behind it, because AS is missing.
        is_missed = not is_named and end <= offset and not document.text[end:offset].strip()
        if start == offset or is_missed:
            name = document.text[start:end].partition("(")[0].strip()
            lacks = "brackets" if is_named else "brackets and a name"
            problem = f"found {name} without {lacks}; expected ({name}(..) AS ?name), as in SPARQL"
            return QueryError(document.place(start), problem)
    return None


def _explain(language: Language, document: Document, token: Token) -> PlacedError | None:
    """Return the error for a token that is valid only in other query languages; None for any other token."""
    dialect = language.manner
    if (fault := known_fault(language, document, token.start)) is not None:
        return fault
    token = next((one for one in document.tokens if one.is_word(*dialect.foreign)), token)
    place = document.place(token.start)
    if token.kind == "a keyword" and (refused := dialect.refused.get(token.text.upper())):
        return UnsupportedError(refused[0], place, covered=refused[1])
    clause = _clause_at(document, token)
    theirs = [
        TITLES[other] for other in Language if other.manner.sign is None and clause in other.manner.clauses
    ]
    if not theirs or clause in dialect.clauses:
        return None
    if clause == "a STREAM block" and document.tokens[document.index_from(token.start) + 2].is_word("{"):
        construct = (
            "a STREAM block without a window (in CQELS 2, FROM STREAM contains the window, and "
            "streams have words as names)"
        )
        covered = f"CQELS, whose windows {Language.CQELS.manner.place}"
        return UnsupportedError(construct, place, covered=covered)
    title = TITLES[language]
    problem = f"found {clause}, which is {' and '.join(theirs)}, in a query of {title}"
    return QueryError(place, f"{problem}; the windows of {title} {dialect.place}")


GRAMMARS: Final = {
    language: Grammar(
        "translate.dialects",
        f"{language.manner.folder}{language.value}",
        language.manner.terminals,
        partial(_explain, language),
        language.manner.example,
    )
    for language in Language
}
"""The grammar of each query language."""
