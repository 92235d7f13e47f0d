"""Engines behind one protocol: engine versions, specifications and programs accept queries and pushes.

An adapter is a program that reads and writes JSON lines of the protocol on its standard streams.
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
