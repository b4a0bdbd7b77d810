"""How well recall finds what a question is about, on public dialogues whose evidence is known.

The data are no part of the project: each loader takes the folder that holds them.
"""

from bench.quality.asking import run

__all__ = ["run"]
