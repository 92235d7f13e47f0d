"""The command `lars agree`: it calls the function `agree`, or `agree_late` with --late."""

from agreement.results.agreements.agreeing import AgreeRequest, agree
from agreement.results.base.library import Findings, Listeners, answering, offered_functions


@offered_functions(AgreeRequest)
def agree_either(request: AgreeRequest, listeners: Listeners) -> Findings:
    """Run `lars agree`: compare push with pull, or with --late, the answers to late and timely data."""
    if request.late:
        # Loads what only late data need.
        from agreement.results.agreements.lateness import agree_late

        return answering(agree_late).answer(request, listeners)
    return answering(agree).answer(request, listeners)
