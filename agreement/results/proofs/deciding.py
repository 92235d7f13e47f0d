"""The command `lars decide`: it calls the function that answers the requested question."""

from agreement.results.base.library import Findings, Listeners, answering, offered_functions
from agreement.results.proofs.traceless import DecideRequest, decide


@offered_functions(DecideRequest)
def decide_either(request: DecideRequest, listeners: Listeners) -> Findings:
    """Run `lars decide`: agreement of push and pull, containment of two queries, or effects of late data."""
    # Loads what only late data or two queries need.
    if request.delay is not None:
        from agreement.results.proofs.lateness import decide_late

        return answering(decide_late).answer(request, listeners)
    if request.contained or request.equivalent:
        from agreement.results.proofs.contained import contained

        return answering(contained).answer(request, listeners)
    return answering(decide).answer(request, listeners)
