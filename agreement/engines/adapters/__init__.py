"""Whatever reports on streams behind one protocol: registered, pushed to, asked, closed, also as adapters.

An adapter is a program that exchanges JSON lines of the protocol on its standard streams.
"""

from agreement.engines.adapters.built_in import (
    ADAPTER,
    BuiltInEngine,
    adapted_version,
    built_in,
)
from agreement.engines.adapters.checking import AdapterCheck, checks_of
from agreement.engines.adapters.client import SILENCE, RunningAdapter
from agreement.engines.adapters.messages import (
    EngineAnswers,
    EngineReport,
    FailedEngineError,
    ProfileReply,
    PushReply,
    RefusedQueryError,
    Registration,
    StreamEngine,
    TimeIsUpError,
    answers_of,
    replies,
    schema,
)
