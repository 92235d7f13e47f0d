r"""Regular expressions of XPath (F&O 3.1, 5.6; XSD 1.1 Part 2, G) in the notation of pyoxigraph.

The following constructs are rewritten: subtraction in a class (`[a-z-[aeiou]]`), \i and \c (start and other
characters of XML names), \w, \s, blocks (`\p{IsBasicLatin}`), and the dot, which matches neither \n nor \r.
The flag x leaves classes and # unchanged. The flag i leaves escapes such as \p{Lu} unchanged; in a class that
contains such an escape, the case variants of the other characters follow the characters.

These texts are errors: an escaped letter that XPath lacks, such as \b, although pyoxigraph has a meaning for
it; a group such as (?i); a second quantifier; a script such as \p{Greek}; and in a class, [ without - before
it, ] as the first character, --, and a back-reference. Two texts are read more freely than in XPath: other
escaped characters, such as \@, and ] or } outside a class. With the flag m, ^ also matches after a line break
that ends the text.
"""

import re
import sys
from collections import defaultdict
from functools import cache
from typing import Final

_START: Final = (
    r":A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_CLASSES: Final = {"i": _START, "c": _START + r"\-.0-9\xB7\u0300-\u036F\u203F-\u2040", "s": r" \t\n\r"}
_NO_WORD: Final = r"\p{P}\p{Z}\p{C}"
_PIECE: Final = re.compile(r"\\[pP]\{[^{}]*\}|\\.|.", re.DOTALL)
_SET: Final = re.compile(r"\\[pPicICwWsSdD]")
"""An escape that means a set of characters."""
_IN_CLASS: Final = re.compile(
    r"(\\[pP]\{[^{}]*\}|\\[icICwWsSdD]|-?[\[\]]|(?<=\[)\^|-)|(\\.|.)(?:-(?![\[\]])(\\.|.))?", re.DOTALL
)
"""A pattern for the parts of a class: a mark, a set of characters, or both ends of a range."""
_LETTERS: Final = frozenset("nrtdD")
_BLANK: Final = " \t\r\n"
_ATOM: Final = r"(?:\\[pP]\{[^{}]*\}|\\[^pP]|[^*+?{(\\])"
_QUANTIFIER: Final = r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??"
# (?>(?:..)*) is (?:..)*+, which Python 3.11.2 gets wrong.
_OUTLINE: Final = re.compile(rf"(?>(?:\((?:\?:)?(?!\?)|{_ATOM}(?:{_QUANTIFIER})?)*)", re.DOTALL)
"""A pattern that matches an XPath pattern in which a letter replaces each character class."""
_CATEGORY: Final = re.compile(r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?")
_BLOCK: Final = "Is"
_BLOCKS: Final = """0-7F BasicLatin 80-FF Latin-1Supplement 100-17F LatinExtended-A 180-24F LatinExtended-B
250-2AF IPAExtensions 2B0-2FF SpacingModifierLetters 300-36F CombiningDiacriticalMarks 370-3FF Greek
370-3FF GreekandCoptic 400-4FF Cyrillic 500-52F CyrillicSupplement 530-58F Armenian 590-5FF Hebrew
600-6FF Arabic 700-74F Syriac 780-7BF Thaana 900-97F Devanagari 980-9FF Bengali A00-A7F Gurmukhi
A80-AFF Gujarati B00-B7F Oriya B80-BFF Tamil C00-C7F Telugu C80-CFF Kannada D00-D7F Malayalam
D80-DFF Sinhala E00-E7F Thai E80-EFF Lao F00-FFF Tibetan 1000-109F Myanmar 10A0-10FF Georgian
1100-11FF HangulJamo 1200-137F Ethiopic 13A0-13FF Cherokee 1400-167F UnifiedCanadianAboriginalSyllabics
1680-169F Ogham 16A0-16FF Runic 1780-17FF Khmer 1800-18AF Mongolian 1E00-1EFF LatinExtendedAdditional
1F00-1FFF GreekExtended 2000-206F GeneralPunctuation 2070-209F SuperscriptsandSubscripts
20A0-20CF CurrencySymbols 20D0-20FF CombiningMarksforSymbols 20D0-20FF CombiningDiacriticalMarksforSymbols
2100-214F LetterlikeSymbols 2150-218F NumberForms 2190-21FF Arrows 2200-22FF MathematicalOperators
2300-23FF MiscellaneousTechnical 2400-243F ControlPictures 2440-245F OpticalCharacterRecognition
2460-24FF EnclosedAlphanumerics 2500-257F BoxDrawing 2580-259F BlockElements 25A0-25FF GeometricShapes
2600-26FF MiscellaneousSymbols 2700-27BF Dingbats 2800-28FF BraillePatterns 2E80-2EFF CJKRadicalsSupplement
2F00-2FDF KangxiRadicals 2FF0-2FFF IdeographicDescriptionCharacters 3000-303F CJKSymbolsandPunctuation
3040-309F Hiragana 30A0-30FF Katakana 3100-312F Bopomofo 3130-318F HangulCompatibilityJamo 3190-319F Kanbun
31A0-31BF BopomofoExtended 3200-32FF EnclosedCJKLettersandMonths 3300-33FF CJKCompatibility
3400-4DBF CJKUnifiedIdeographsExtensionA 4E00-9FFF CJKUnifiedIdeographs A000-A48F YiSyllables
A490-A4CF YiRadicals AC00-D7AF HangulSyllables E000-F8FF PrivateUse E000-F8FF PrivateUseArea
F900-FAFF CJKCompatibilityIdeographs FB00-FB4F AlphabeticPresentationForms FB50-FDFF ArabicPresentationForms-A
FE20-FE2F CombiningHalfMarks FE30-FE4F CJKCompatibilityForms FE50-FE6F SmallFormVariants
FE70-FEFF ArabicPresentationForms-B FF00-FFEF HalfwidthandFullwidthForms FFF0-FFFF Specials
10300-1032F OldItalic 10330-1034F Gothic 10400-1044F Deseret 1D000-1D0FF ByzantineMusicalSymbols
1D100-1D1FF MusicalSymbols 1D400-1D7FF MathematicalAlphanumericSymbols
20000-2A6DF CJKUnifiedIdeographsExtensionB 2F800-2FA1F CJKCompatibilityIdeographsSupplement
E0000-E007F Tags"""
"""The blocks that XML Schema names: the blocks of Unicode 3.1, and later names for these blocks."""


def oxigraph_pattern(pattern: str, flags: str) -> tuple[str, str] | None:
    r"""Return the pattern and flags for pyoxigraph, or None if the pattern is an error in XPath.

    >>> oxigraph_pattern(r"[a-z-[aeiou]] # \#", "ix"), oxigraph_pattern(r"\bword", "")
    (('[a-z--[aeiou]]#\\#', 'i'), None)
    >>> oxigraph_pattern("[^a-z-[0-9]]", "")  # the class of all but a to z, without 0 to 9
    ('[[^a-z]--[0-9]]', '')
    """
    if "q" in flags:
        return pattern, flags.replace("x", "")
    opened, parts, outline = list[int](), list[str](), ""
    kept_case = "i" in flags and _SET.search(pattern) is not None
    if kept_case:
        pattern = _with_variants(pattern)
    pieces = _PIECE.findall(pattern)
    for before, piece, following in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False):
        if piece in _BLANK and "x" in flags and not opened:
            continue
        if opened and _is_no_part(piece, before, following, parts[opened[-1] + 1 :]):
            return None
        is_whole = not opened and kept_case
        if piece == "[":
            parts += ["(?-i:"] if is_whole else []
            opened.append(len(parts))
        elif piece == "]" and opened:
            opened.pop()
        outline += "" if opened else "a" if piece == "]" else piece
        spelled = _spelled(piece, following) if opened or piece[0] == "\\" else piece
        if spelled is None:
            return None
        if is_whole and _SET.match(piece):
            spelled = f"(?-i:{spelled})"
        elif piece == "]" and not opened and kept_case:
            spelled += ")"
        elif piece == "." and not opened and "s" not in flags:
            spelled = r"[^\n\r]"
        if spelled == "--" and parts[opened[-1] + 1 :][:1] == ["^"]:
            # There ^ is of all that follows; in XPath of what is before the subtraction.
            parts[opened[-1]], spelled = "[[", "]--"
        parts.append(spelled)
    return ("".join(parts), flags.replace("x", "")) if _OUTLINE.fullmatch(outline) else None


def _with_variants(pattern: str) -> str:
    """Return a pattern whose character classes contain the upper and lower case of their characters."""
    depth = 0

    def added(match: re.Match[str]) -> str:
        nonlocal depth
        mark, first, last = match.groups()
        if mark is not None:
            depth += (mark[-1] == "[") - (mark[-1] == "]" and depth > 0)
        if mark is not None or not depth:
            return match[0]
        low, high = _character(first), _character(last or first)
        variants = (same for one, same in _cased().items() if low <= one <= high)
        return match[0] + "".join(sorted(set().union(*variants)))

    return _IN_CLASS.sub(added, pattern)


def _character(piece: str) -> str:
    return {"n": "\n", "r": "\r", "t": "\t"}.get(piece[-1], piece[-1]) if len(piece) > 1 else piece


@cache
def _cased() -> dict[str, set[str]]:
    """Map each character with case to the characters with the same lower case or the same upper case."""
    found = defaultdict[tuple[str, str], set[str]](set)
    cased = [one for one in map(chr, range(sys.maxunicode + 1)) if one.lower() != one.upper()]
    for one in cased:
        found["lower", one.lower()].add(one)
        found["upper", one.upper()].add(one)
    return {one: found["lower", one.lower()] | found["upper", one.upper()] for one in cased}


def _is_no_part(piece: str, before: str, following: str, within: list[str]) -> bool:
    """Return whether a piece of a character class is not allowed in XPath at its position.

    The argument `within` contains the earlier pieces of the class.
    """
    match piece:
        case "[":
            return before != "-"
        case "]":
            return within in ([], ["^"])
        case "-":
            return before == "-" and following != "]"
        case _ if piece[0] == "\\" and piece[1:].isdigit():
            return True
        case _:
            return False


def _spelled(piece: str, following: str) -> str | None:
    """Return a piece of a pattern in pyoxigraph's notation; None if the piece is an unknown escape."""
    if piece == "-" and following == "[":
        return "--"
    if piece in ("&", "~") or (
        piece == "-" and following == "]"
    ):  # twice they are operators on classes there
        return f"\\{piece}"
    if piece[0] != "\\" or len(piece) == 1:
        return piece
    negated = "^" * piece[1].isupper()
    if piece[1] in "wW":
        return f"[{'' if negated else '^'}{_NO_WORD}]"
    if piece[1].lower() in _CLASSES:
        return f"[{negated}{_CLASSES[piece[1].lower()]}]"
    if piece[2:].startswith("{" + _BLOCK):
        first, _, last = _blocks().get(piece[3 + len(_BLOCK) : -1], "").partition("-")
        return f"[{negated}\\x{{{first}}}-\\x{{{last}}}]" if last else None
    if piece[1] in "pP":
        return piece if _CATEGORY.fullmatch(piece[3:-1]) else None
    return piece if not piece[1].isalpha() or piece[1] in _LETTERS else None


def _blocks() -> dict[str, str]:
    words = _BLOCKS.split()
    return dict(zip(words[1::2], words[::2], strict=True))
