"""A row of bars as SVG: numbers in, places out. No script and no style draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, FOOT = 320.0, 100.0, 18.0
LEAST = 2.0  # so that a little is not taken for nothing


@dataclass(frozen=True)
class Bar:
    """One bar: its place in the drawing, and what it stands for."""

    x: str
    y: str
    width: str
    height: str
    label: str
    value: int


@dataclass(frozen=True)
class Chart:
    """`bars` from left to right; `first` and `last` are the labels at the ends, `most` is the highest value."""

    title: str
    bars: tuple[Bar, ...]
    total: int
    most: int

    @property
    def first(self) -> str:
        return self.bars[0].label if self.bars else ""

    @property
    def last(self) -> str:
        return self.bars[-1].label if self.bars else ""


def chart(title: str, values: Sequence[tuple[str, int]]) -> Chart:
    """A chart of (label, value); values below nought count as nought."""
    most = max((value for _label, value in values), default=0)
    step = WIDTH / len(values) if values else WIDTH
    room = HEIGHT - FOOT
    bars = []
    for number, (label, value) in enumerate(values):
        height = max(LEAST, room * value / most) if value > 0 and most > 0 else 1.0
        bars.append(
            Bar(
                x=f"{number * step + step * 0.1:.1f}",
                y=f"{room - height:.1f}",
                width=f"{step * 0.8:.1f}",
                height=f"{height:.1f}",
                label=label,
                value=max(0, value),
            )
        )
    return Chart(title, tuple(bars), sum(bar.value for bar in bars), most)
