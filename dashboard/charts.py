"""A row of bars as SVG: numbers in, places out. No script and no style draws it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils import formats
from django.utils.translation import gettext as _

WIDTH, HEIGHT, FOOT = 320.0, 100.0, 18.0
LEAST = 2.0  # so that a little is not taken for nothing


@dataclass(frozen=True)
class Bar:
    """One bar: its place in the drawing, and what it stands for, `shown` as it is to be read."""

    x: str
    y: str
    width: str
    height: str
    label: str
    value: float
    shown: str


@dataclass(frozen=True)
class Chart:
    """`bars` from left to right; `first` and `last` are the labels at the ends.

    `caption` sums them up, `note` stands under them.
    """

    title: str
    bars: tuple[Bar, ...]
    caption: str
    note: str = ""

    @property
    def drawn(self) -> bool:
        """Whether there is anything to see."""
        return any(bar.value for bar in self.bars)

    @property
    def first(self) -> str:
        return self.bars[0].label if self.bars else ""

    @property
    def last(self) -> str:
        return self.bars[-1].label if self.bars else ""


def number(value: float) -> str:
    """A whole number as the person writes it."""
    return formats.number_format(round(value), use_l10n=True, force_grouping=True)


def dollars(value: float) -> str:
    """US dollars: two digits after the point, more where that would be nothing."""
    if 0 < value < 0.0001:
        return "< $0.0001"
    digits = 2 if value >= 0.995 or not value else 4
    return f"${formats.number_format(round(value, digits), digits, use_l10n=True)}"


def chart(
    title: str,
    values: Sequence[tuple[str, float]],
    *,
    show: Callable[[float], str] = number,
    caption: str = "",
    note: str = "",
) -> Chart:
    """A chart of (label, value); values below nought count as nought. Unless told otherwise the caption has numbers."""
    most = max((value for _label, value in values), default=0.0)
    step = WIDTH / len(values) if values else WIDTH
    room = HEIGHT - FOOT
    bars = []
    for place, (label, value) in enumerate(values):
        height = max(LEAST, room * value / most) if value > 0 and most > 0 else 1.0
        bars.append(
            Bar(
                x=f"{place * step + step * 0.1:.1f}",
                y=f"{room - height:.1f}",
                width=f"{step * 0.8:.1f}",
                height=f"{height:.1f}",
                label=label,
                value=max(0.0, value),
                shown=show(max(0.0, value)),
            )
        )
    summed = {"total": show(sum(bar.value for bar in bars)), "most": show(max(0.0, most))}
    return Chart(title, tuple(bars), caption or _("%(total)s in all, %(most)s at most") % summed, note)
