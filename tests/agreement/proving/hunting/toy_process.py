"""The toy engines in this process: a run of one costs no start of another process, and no pipe."""

from dataclasses import dataclass, field

from agreement.engines.adapters.messages import EngineReport, ProfileReply, PushReply, RefusedQueryError
from tests.agreement.proving.hunting import toy_engine


@dataclass
class Toy:
    """A toy engine with a fault, which is one run at a time."""

    fault: str
    open_runs: list = field(default_factory=list)
    profile: ProfileReply | None = None

    @property
    def name(self):
        return f"toy {self.fault}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def told(self, **message):
        toy_engine.FAULT = self.fault
        return toy_engine.reply(message, self.open_runs)

    def open(self, registration):
        found = self.told(op="open", query=registration.query, static=registration.static)
        if "error" in found:
            raise RefusedQueryError(found["error"])
        self.profile = ProfileReply(**found)
        return self

    def push(self, pushes):
        told = (
            self.told(op="push", t=one.t, stream=one.stream[1:-1], triple=f"{' '.join(one.triple)} .")
            for one in pushes
        )
        return [PushReply(reports=reports_of(reply)) for reply in told]

    def close(self):
        return reports_of(self.told(op="close"))

    def end(self):
        self.open_runs.clear()
        return True


def reports_of(reply):
    return tuple(EngineReport(**one) for one in reply["reports"])
