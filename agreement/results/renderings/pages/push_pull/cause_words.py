"""The causes of a difference in words, and what would have to be otherwise for both sides to be the same."""

from collections.abc import Mapping
from typing import Final

from agreement.comparing.agree import RowCause

WORDS: Final[Mapping[RowCause, str]] = {
    RowCause.AGGREGATE_OF_NOTHING: "An aggregate of no solution is a value in C-SPARQL, no row in CQELS.",
    RowCause.DIFFERENT_STATIC_DATA: "The two engines have static data of their own, and with those of both "
    "they would not differ in the row.",
    RowCause.STATIC_ONLY: "Static data alone give the row; no input took part on the other side.",
    RowCause.MERGED_SOURCES: "One engine merges streams and static data, the other keeps them apart.",
    RowCause.HIDDEN_BY_THE_PIVOT: "A window that slides, or ends before the present, does not show the "
    "newest input yet, which gives or blocks the row.",
    RowCause.SILENT_PERIOD: "Pull still sees it, but no input made push evaluate in the period.",
    RowCause.EXPIRED_BEFORE_THE_PULL: "Push reported it, and its triples left the window before the pull.",
    RowCause.AGGREGATE_OF_OTHER_INPUT: "The other side has the row's group too, but its windows showed other "
    "input then, so that the aggregate has another value.",
    RowCause.BLOCKED_LATER: "Later input removed it (OPTIONAL, MINUS, NOT EXISTS, LIMIT).",
    RowCause.BLOCKER_EXPIRED: "What blocked it has left the window.",
    RowCause.DIFFERENT_WINDOWS: "The two queries have windows of their own, of different kind or length.",
}
CHANGES: Final[Mapping[RowCause, str]] = {
    RowCause.AGGREGATE_OF_NOTHING: "an answer without the row for no solution would not differ in it.",
    RowCause.STATIC_ONLY: "the row would have to rest on input, or the other side to evaluate and have it.",
    RowCause.MERGED_SOURCES: "a pattern would have to be matched in one source alone on both sides, or in "
    "streams and static data together on both.",
    RowCause.HIDDEN_BY_THE_PIVOT: "the windows would have to show all input up to the evaluation.",
    RowCause.SILENT_PERIOD: "some input would have to arrive in the period, so that push evaluates.",
    RowCause.EXPIRED_BEFORE_THE_PULL: "its triples would have to be in the windows still when pull "
    "evaluates: a longer window, or a pull before they leave.",
    RowCause.AGGREGATE_OF_OTHER_INPUT: "push and pull would have to evaluate over the same input: at the "
    "same times, or with nothing coming or leaving between them.",
    RowCause.BLOCKED_LATER: "had nothing arrived after push's report, pull would have it too.",
    RowCause.BLOCKER_EXPIRED: "push would have to evaluate after the blocker has left, or never see it.",
    RowCause.DIFFERENT_WINDOWS: "both queries would have to read the stream through the same window.",
}
