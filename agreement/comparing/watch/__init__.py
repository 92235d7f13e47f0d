"""`lars watch`: judge a stream that does not end, batch by batch; the state is stored after each batch."""

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
