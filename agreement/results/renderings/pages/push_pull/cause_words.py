"""The causes of a difference in words, and what would have to be otherwise for both sides to be the same."""

from typing import assert_never

from agreement.comparing.agree import RowCause


def cause_words(cause: RowCause) -> tuple[str, str]:
    """Return what a cause says, and what would have to be otherwise."""
    match cause:
        case RowCause.AGGREGATE_OF_NOTHING:
            return (
                "An aggregate of no solution is a value in C-SPARQL, no row in CQELS.",
                "an answer without the row for no solution would not differ in it.",
            )
        case RowCause.DIFFERENT_STATIC_DATA:
            return (
                "The engines have static data of their own; with those of both the row is on both sides.",
                "both engines would have to have loaded the same static data.",
            )
        case RowCause.STATIC_ONLY:
            return (
                "Static data alone give the row; no input took part on the other side.",
                "the row would have to rest on input, or the other side to evaluate and have it.",
            )
        case RowCause.MERGED_SOURCES:
            return (
                "One engine merges streams and static data, the other keeps them apart.",
                "both sides would have to match a pattern in one source alone, or in all together.",
            )
        case RowCause.HIDDEN_BY_THE_PIVOT:
            return (
                "A window that slides, or ends before now, hides new input, which gives or blocks the row.",
                "the windows would have to show all input up to the evaluation.",
            )
        case RowCause.SILENT_PERIOD:
            return (
                "Pull still sees it, but no input made push evaluate in the period.",
                "some input would have to arrive in the period, so that push evaluates.",
            )
        case RowCause.EXPIRED_BEFORE_THE_PULL:
            return (
                "Push reported it, and its triples left the window before the pull.",
                "its triples would have to be in the windows at the pull: longer windows, earlier pulls.",
            )
        case RowCause.AGGREGATE_OF_OTHER_INPUT:
            return (
                "The other side has its group, but saw other input, so that the aggregate has another value.",
                "push and pull would have to see the same input: nothing may come or leave between them.",
            )
        case RowCause.BLOCKED_LATER:
            return (
                "Later input removed it (OPTIONAL, MINUS, NOT EXISTS, LIMIT).",
                "had nothing arrived after push's report, pull would have it too.",
            )
        case RowCause.BLOCKER_EXPIRED:
            return (
                "What blocked it has left the window.",
                "push would have to evaluate after the blocker has left, or never see it.",
            )
        case RowCause.DIFFERENT_WINDOWS:
            return (
                "The two queries have windows of their own, of different kind or length.",
                "both queries would have to read the stream through the same window.",
            )
        case _:
            assert_never(cause)
