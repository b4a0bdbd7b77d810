"""Models in this process by sentence-transformers. The only module that imports it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory.errors import ModelDown, ModelMisconfigured
from memory.llm.embedding import runtime
from memory.llm.embedding.known import Kind, Known
from memory.llm.embedding.minilm import MINILM, weights


class Local:
    """A sentence-transformers model: the one in the box, or any by its folder or its name on this machine.

    It reads as many tokens of a text as the model can (MiniLM: 256, some 1,000 characters of English); what follows
    is cut off. One computation at a time: its tokenizer takes no two.
    """

    lanes = 2
    most_texts = 16

    def __init__(self, model: str, known: Known) -> None:
        self.name = model
        self._known = known
        self._lock = threading.Lock()
        self._model: Any = None
        self._set_threads: Callable[[int], None] = lambda _: None

    def load(self) -> None:
        """Takes seconds the first time. Raises ModelMisconfigured."""
        if self._model is not None:
            return
        if not runtime.installed("sentence_transformers"):
            raise ModelMisconfigured(
                "sentence-transformers is not installed: `make up SMALL=` installs it. Or set "
                "CAESAR_SEMANTIC__PROVIDER=onnx.",
                provider="local",
                model=self.name,
            )
        with runtime.loading():
            self._load()
            self.embed(["Is anybody there?"], "query")

    def _load(self) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        self._set_threads = torch.set_num_threads
        try:
            self._model = SentenceTransformer(self._where(), local_files_only=True)
        except Exception as error:
            raise ModelMisconfigured(
                f"The embedding model {self.name} cannot be loaded ({_short(error)}). CAESAR_SEMANTIC__MODEL names a "
                f"folder, or a model that `hf download` has brought to this machine.",
                provider="local",
                model=self.name,
            ) from error

    def embed(self, texts: Sequence[str], kind: Kind) -> np.ndarray:
        """float32[n, d] as the model gives them. Raises ModelDown."""
        with self._lock:
            # Of a single short text there is nothing to share out: a second thread only makes it wait, idle or busy.
            self._set_threads(1 if kind == "query" else runtime.threads())
            try:
                found: np.ndarray = self._model.encode(
                    list(texts), prompt=self._prompt(kind), batch_size=len(texts), show_progress_bar=False
                )
            except Exception as error:
                raise ModelDown(
                    f"The embedding model {self.name} failed: {_short(error)}", provider="local", model=self.name
                ) from error
            return found

    def tokens(self, texts: Sequence[str]) -> int:
        """How many it reads of these texts, those that mark begin and end included; 0 where it does not say."""
        with self._lock:
            features = self._model.preprocess(list(texts))
        if "attention_mask" in features:
            return int(features["attention_mask"].sum())
        # Models that only look words up pad nothing.
        return int(features["input_ids"].numel()) if "input_ids" in features else 0

    def _prompt(self, kind: Kind) -> str:
        """The model's own, where it brings one."""
        if kind == "plain":
            return ""
        own: dict[str, str | None] = self._model.prompts
        names = ("query",) if kind == "query" else ("document", "passage", "corpus")
        return next((prompt for name in names if (prompt := own.get(name))), self._known.prefix(kind))

    def _where(self) -> str:
        if self.name == MINILM:
            return str(weights())
        folder = Path(self.name).expanduser()
        return str(folder) if folder.is_dir() else self.name


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:299] + "…"
