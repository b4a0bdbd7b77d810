"""What makes two vectors comparable."""

from __future__ import annotations

from dataclasses import dataclass

# The family of models that run in this process, whatever runs them.
LOCAL = "local"


@dataclass(frozen=True)
class Identity:
    """Which model made a vector. Only vectors of one identity are ever compared.

    provider: `local` for what runs in this process (`onnx` is the same model run by something else), else the
    provider's name. model: its name there; a model on disk goes by its path. dim: numbers in a vector.
    """

    provider: str
    model: str
    dim: int

    @property
    def name(self) -> str:
        """One text per identity: `all-MiniLM-L6-v2/384`, `voyage/voyage-3.5/1024`."""
        where = "" if self.provider == LOCAL else f"{self.provider}/"
        return f"{where}{self.model}/{self.dim}"

    def __str__(self) -> str:
        return self.name
