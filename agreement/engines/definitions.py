"""What is right, by definitions of RSP-QL (2014): said where an engine or a run does otherwise."""

from typing import Final

ENDS: Final = "Definition 13: the window from o to c shows what comes at o < t <= c"
IN_ORDER: Final = (
    "Definition 9: a stream is in the order of its times, so nothing that is late changes a window"
)
EACH_WINDOW: Final = "Definition 23, window close: each window reports when it closes, whatever arrives where"
AT_ITS_CLOSE: Final = "Definition 23: a window reports at the instant at which it closes"
SAME_INSTANT: Final = "Definitions 14 and 16: all windows show what is theirs at the instant of evaluation"
OPERATORS: Final = "Definitions 20 to 22: RSTREAM, ISTREAM or DSTREAM, as the query says"
OWN_STREAM: Final = "Definition 14: each window shows the stream that it is declared on"
GRID: Final = "Definition 13: a window closes at t0 + alpha, then each beta later; t0 does not depend on data"
DECLARED: Final = "Definition 11: each window that the query declares, as long as it says"
NON_EMPTY: Final = "Definition 23, non-empty content: a window without triples does not report"
ALL_TRIPLES: Final = "Definitions 12 and 13: a window shows all triples between its ends"
