"""The command's texts as a plan; a wrong one is one message that names the option."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

from agreement.experiment_values import cut
from agreement.generate.plan import Bursts, TemperatureRange
from lars.durations import Duration, read_duration
from lars.errors import LarsError

_NUMBER: Final = r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?"
_STEP: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")
_RANGE: Final = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_BURSTS: Final = re.compile(r"([0-9]{1,9})x(.+)")
_SHARE: Final = re.compile(r"[0-9](?:\.[0-9]{1,18})?|\.[0-9]{1,18}")


def duration(option: str, text: str) -> Duration:
    """Return the duration of an option."""
    try:
        return read_duration(text)
    except LarsError as error:
        raise LarsError(f"{option}: {error}") from None


def values(text: str, step: str | None) -> TemperatureRange:
    """Return the values of `LOW..HIGH` and the step of --walk, with the most decimals of the three.

    >>> values("40.0..100", None)
    TemperatureRange(low=400, high=1000, decimals=1, step=None)
    >>> values("-5..5", "0.25")
    TemperatureRange(low=-500, high=500, decimals=2, step=25)
    """
    found = _RANGE.fullmatch(text)
    if found is None:
        raise LarsError(f"--values {cut(text)}: accepted: LOW..HIGH, as 40.0..100.0 or -5..35")
    if step is not None and not _STEP.fullmatch(step):
        raise LarsError(f"--walk {cut(step)}: accepted: a step from 0, as 0.5")
    low, high, walk = Decimal(found[1]), Decimal(found[2]), None if step is None else Decimal(step)
    decimals = max(_decimals(number) for number in (low, high, walk) if number is not None)
    scaled = [None if number is None else int(number.scaleb(decimals)) for number in (low, high, walk)]
    return TemperatureRange(scaled[0] or 0, scaled[1] or 0, decimals, scaled[2])


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def bursts(text: str | None) -> Bursts:
    """Return the bursts of `SIZExGAP`.

    >>> bursts("5x100ms")
    Bursts(size=5, gap=Duration(nanoseconds=100000000))
    """
    if text is None:
        return Bursts()
    found = _BURSTS.fullmatch(text)
    if found is None:
        raise LarsError(f"--bursts {cut(text)}: accepted: SIZExGAP, as 5x100ms")
    return Bursts(int(found[1]), duration("--bursts", found[2]))


def share(option: str, text: str) -> Fraction:
    """Return the share of an option, exactly."""
    if not _SHARE.fullmatch(text) or Fraction(text) > 1:
        raise LarsError(f"{option} {cut(text)}: accepted: a share from 0 to 1, as 0.05")
    return Fraction(text)
