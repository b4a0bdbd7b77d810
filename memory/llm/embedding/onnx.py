"""all-MiniLM-L6-v2 in this process without torch. The only module that imports onnxruntime and tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memory.errors import ModelDown, ModelMisconfigured
from memory.llm.embedding import runtime
from memory.llm.embedding.known import Kind
from memory.llm.embedding.minilm import MINILM, graph, weights

# As many as the model was trained on.
MOST_TOKENS = 256


class Onnx:
    """The same model as `Local`'s: its vectors have a cosine of 0.99 and more to those, and share their index.

    Of a text it reads the first 256 tokens, some 1,000 characters of English.
    """

    lanes = 2
    most_texts = 16
    name = MINILM

    def __init__(self) -> None:
        self._tokenizer: Any = None
        self._session: Any = None

    def load(self) -> None:
        """Takes half a second the first time. Raises ModelMisconfigured."""
        if self._session is not None:
            return
        for package in ("onnxruntime", "tokenizers"):
            if not runtime.installed(package):
                raise ModelMisconfigured(
                    f"{package} is not installed: `make up` installs it.", provider="onnx", model=MINILM
                )
        with runtime.loading():
            self._load()
            self.embed(["Is anybody there?"], "query")

    def _load(self) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = runtime.threads()
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # An arena would keep what the largest batch took for good.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.log_severity_level = 3
        tokenizer = Tokenizer.from_file(str(weights() / "tokenizer.json"))
        # The file says 128, whatever the length.
        tokenizer.enable_truncation(MOST_TOKENS)
        tokenizer.enable_padding()
        self._tokenizer = tokenizer
        self._session = onnxruntime.InferenceSession(str(graph()), options, providers=["CPUExecutionProvider"])

    def tokens(self, texts: Sequence[str]) -> int:
        """How many it reads of these texts, those that mark begin and end included."""
        return sum(sum(each.attention_mask) for each in self._tokenizer.encode_batch(list(texts)))

    def embed(self, texts: Sequence[str], kind: Kind) -> np.ndarray:
        """float32[n, 384]: the mean over the tokens, as the model was trained. Raises ModelDown."""
        try:
            tokens = self._tokenizer.encode_batch(list(texts))
            mask = np.array([each.attention_mask for each in tokens], dtype=np.int64)
            given = {
                "input_ids": np.array([each.ids for each in tokens], dtype=np.int64),
                "attention_mask": mask,
                "token_type_ids": np.array([each.type_ids for each in tokens], dtype=np.int64),
            }
            hidden: np.ndarray = self._session.run(None, given)[0]
        except Exception as error:
            raise ModelDown(f"The embedding model failed: {error}", provider="onnx", model=MINILM) from error
        weight = mask[:, :, None].astype(np.float32)
        mean: np.ndarray = (hidden * weight).sum(axis=1) / weight.sum(axis=1)
        return mean
