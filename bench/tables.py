"""How results are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def table(title: str, columns: Sequence[str], rows: Mapping[str, Sequence[float]], digits: int = 2) -> None:
    """A title, then a line for each row."""
    width = max(len(name) for name in rows)
    print(f"\n{title}\n{' ' * width}  " + "  ".join(f"{c:>10}" for c in columns))
    for name, values in rows.items():
        print(f"{name:<{width}}  " + "  ".join(f"{v:>10,.{digits}f}" for v in values), flush=True)
