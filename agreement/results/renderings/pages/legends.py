"""What the symbols, words and theorems on a page mean; each page tells those that stand on it."""

import re
from typing import Final

_NAMES: Final = {
    "U": r"\bU (=|across)|, U\b",
    "push": r"(?s)\bpush\b.*\bpull\b|\bpull\b.*\bpush\b",
    "a push": r"(?s)\A(?!.*\bpull\b).*\bpush(es)?\b",
    "pull": r"\bpull\b",
    "τ1": "τ1",
    "τ2": "τ2",
    "⊞": "⊞",
    "◇": "◇",
    "ans1, ans2, ..": r"\bans\d",
    "triple, striple": r"\bs?triple\(",
    "trigger": r"\btrigger\b",
    "t0": r"\bt0\b",
    "precision, recall": r"\brecall\b",
    "brave, cautious": r"\b(brave|cautious)\b",
    "disjunct": r"\bdisjunct",
    "monotone": r"\bmonotone\b",
    "stream-guarded": r"\bstream-guarded\b",
    "RSTREAM, ISTREAM, DSTREAM": r"\b[RID]STREAM\b",
    "A4": r"\bA4\b",
    "A5": r"\bA5\b",
    "A6": r"\bA6\b",
    "A7": r"\bA7\b",
}
"""How what a page says is known to have a name."""

_MEANINGS: Final = {
    "U": "the pulling period in time points: pull evaluates at its multiples",
    "push": "evaluation as input arrives, as CQELS does; of a period its answers are all of these together",
    "a push": "a triple that is given to the engine; pushes are numbered from 0",
    "pull": "evaluation by the clock, as C-SPARQL does; of a period its answer is that at the end",
    "τ1": "the translation of C-SPARQL: what all windows show and the static data are one graph",
    "τ2": "the translation of CQELS: each pattern on a stream is matched in its own window",
    "⊞": "a window: ⊞^n shows now and the last n time points, ⊞^{l,0,d} jumps by d, ⊞^{#n} the newest n",
    "◇": "at some time of what the window shows",
    "ans1, ans2, ..": "the rows of a part of the query, numbered from the whole down; ans1 is the answer",
    "triple, striple": "a triple of a graph (static data, or all merged); one of a stream, its last argument",
    "trigger": "holds when the query is evaluated: as input arrives for push, at multiples of U for pull",
    "t0": "the time point at which the first window opens; RSP-QL leaves it to the engine",
    "precision, recall": "of the rows reported the share that is expected, and the reverse",
    "brave, cautious": "a pattern read from its stream alone, or from its stream or the static data",
    "disjunct": "one of the queries without UNION that the query is the union of",
    "monotone": "more input never takes a row away",
    "stream-guarded": "no row follows from static data alone",
    "RSTREAM, ISTREAM, DSTREAM": "reports of all rows, of those that are new, of those that are gone",
    "A4": (
        "Let windows be [t − L, t], any input fire push, and a triple that no query reads arrive. Put a "
        "match at one time: its row outlives its last push until a pull, which reports it while push is "
        "silent; or noise lets push report it once more before a pull that lacks it. So a satisfiable, "
        "monotone, stream-guarded query differs on some stream for each U ≥ 2; for U = 1 it never does if "
        "each disjunct has a NOW window, which is empty without input, and else it does."
    ),
    "A5": (
        "Where only matches fire push, and it reports what is new: disjuncts of one stream pattern agree on "
        "all streams exactly if the window is (t − U, t], so that one pull sees each match."
    ),
    "A6": (
        "If each pattern can match triples of its own source alone, a stream through a window or the static "
        "data, C-SPARQL's merged query and all CQELS queries have the same rows at every time."
    ),
    "A7": (
        "A smallest difference of a monotone query with time windows has at most one triple more than a "
        "disjunct has stream patterns, within the longest window and one period: so the search is complete."
    ),
}


def legend_of(text: str) -> list[tuple[str, str]]:
    """Return what stands on a page of that text, each name with its meaning.

    >>> [name for name, _ in legend_of("pull, τ1, U = 5: ans1(?a) ← ⊞^3 ◇ striple(?a, p, b, s).")]
    ['U', 'pull', 'τ1', '⊞', '◇', 'ans1, ans2, ..', 'triple, striple']
    """
    return [(name, _MEANINGS[name]) for name, known in _NAMES.items() if re.search(known, text)]
