"""`lars watch`: verdicts on a stream that does not end, batch by batch, from a stored state."""

from agreement.comparing.watch.answers import AnswerVerdict
from agreement.comparing.watch.state import (
    Record,
    WatchState,
    newest_batch,
    newest_state,
    send_unsent,
    write_state,
)
from agreement.comparing.watch.watcher import JudgedPeriods, Watcher
