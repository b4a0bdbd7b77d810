"""The models that run in this process: real weights, by sentence-transformers and by onnxruntime."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory.config import MemorySections
from memory.errors import ModelMisconfigured
from memory.llm.embedding import Embedder, Identity, embedder, for_identity, runtime

Configure = Callable[..., MemorySections]

TEXTS = [
    "My dog is called Beans.",
    "project.atlas.launch_date: 12 March 2026",
    "Mein Hund heißt Böhnchen, und wir wohnen in Zürich.",
    "J'habite à Montréal depuis l'été dernier.",
    "我的狗叫豆豆。",
    "私の犬の名前は豆です。",
    "내 개의 이름은 콩이다.",
    "Мою собаку зовут Бобик.",
    "اسم كلبي فول.",
    "मेरे कुत्ते का नाम बीन्स है।",
    "Ο σκύλος μου λέγεται Φασόλι.",
    "C++17 vs. C#, see utils/io.py:42 — `git rebase -i HEAD~3`",
    "🐶🐾 woof",
    "a",
    "The quick brown fox jumps over the lazy dog. " * 60,
]


@pytest.fixture(params=["local", "onnx"])
def each(request: pytest.FixtureRequest, configured: Configure) -> Embedder:
    configured(provider=request.param)
    made = embedder()
    made.load()
    return made


@pytest.fixture
def both(configured: Configure) -> tuple[Embedder, Embedder]:
    configured(provider="local")
    local = embedder()
    configured(provider="onnx")
    return local, embedder()


def test_it_counts_the_tokens_that_it_reads(each: Embedder) -> None:
    assert each.backend.tokens(["a", "my dog"]) == 3 + 4
    assert each.backend.tokens(["dog " * 1000]) == 256
    plain = np.asarray(each.backend.embed(["My dog is called Beans."], "plain"))[0]
    assert float(plain @ each.documents(["My dog is called Beans."])[0]) / np.linalg.norm(plain) > 0.99


def test_both_give_the_same_vectors_in_every_script(both: tuple[Embedder, Embedder]) -> None:
    local, onnx = (made.documents(TEXTS) for made in both)
    cosines = (local * onnx).sum(axis=1)
    assert cosines.min() >= 0.99, dict(zip(TEXTS, cosines, strict=True))
    assert both[0].identity == both[1].identity


def test_what_is_meant_alike_is_near(each: Embedder) -> None:
    documents = each.documents(
        ["The user's dog is called Beans.", "The user works as a carpenter.", "Rent is 900 euros."]
    )
    question = each.query("What is the name of my pet?", 5)
    assert question is not None
    scores = documents @ question
    assert scores.argmax() == 0
    assert scores[0] > 0.25 > scores[2]


def test_vectors_are_float32_of_length_one(each: Embedder) -> None:
    found = each.documents(TEXTS)
    assert (found.shape, found.dtype) == ((len(TEXTS), 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-5)


def test_a_batch_changes_no_vector(each: Embedder) -> None:
    together = each.documents(TEXTS)
    alone = np.stack([each.documents([text])[0] for text in TEXTS])
    assert (together * alone).sum(axis=1).min() > 0.9999


def test_only_the_first_256_tokens_count(each: Embedder) -> None:
    beginning = "word " * 254
    one, two, three = each.documents([beginning, beginning + "entirely different ending", "short " + beginning])
    assert one @ two > 0.9999
    assert one @ three < 0.9999


def test_many_threads_may_ask_at_once(each: Embedder) -> None:
    alone = each.documents(TEXTS)
    with ThreadPoolExecutor(8) as threads:
        documents = [threads.submit(each.documents, TEXTS) for _ in range(4)]
        questions = [threads.submit(each.query, f"question {i}", 30) for i in range(12)]
        for done in documents:
            assert (alone * done.result()).sum(axis=1).min() > 0.9999
        assert all(done.result() is not None for done in questions)


def test_the_embedder_of_old_rows_is_the_one_in_the_box(configured: Configure, each: Embedder) -> None:
    configured(provider=each.spec.provider)
    assert for_identity(Identity("local", "all-MiniLM-L6-v2", 384)) is each


@pytest.fixture
def on_disk(tmp_path: Path) -> Callable[..., Path]:
    """`on_disk("some-name", prompts={…})`: a small sentence-transformers model in a folder of that name."""

    def save(name: str, prompts: dict[str, str] | None = None) -> Path:
        runtime.prepare()
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.models import StaticEmbedding
        from tokenizers import Tokenizer

        from memory.llm.embedding.minilm import weights

        torch.manual_seed(7)
        tokenizer = Tokenizer.from_file(str(weights() / "tokenizer.json"))
        tokenizer.no_padding()
        folder = tmp_path / name
        SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=24)], prompts=prompts).save(str(folder))
        return folder

    return save


def test_a_model_on_disk_is_taken_by_its_folder(configured: Configure, on_disk: Callable[..., Path]) -> None:
    folder = on_disk("my-model")
    configured(provider="local", model=str(folder))
    made = embedder()
    assert made.identity == Identity("local", str(folder), 24)
    assert made.documents(["a dog"]).shape == (1, 24)
    np.testing.assert_allclose(made.documents(["a dog"])[0], made.query("a dog", 5), atol=1e-6)
    again = for_identity(made.identity)
    np.testing.assert_allclose(again.documents(["a dog"]), made.documents(["a dog"]))


def test_a_model_brings_its_own_prompts(configured: Configure, on_disk: Callable[..., Path]) -> None:
    plain = on_disk("plain")
    configured(provider="local", model=str(plain))
    bare = embedder()
    configured(provider="local", model=str(on_disk("own", {"query": "ask: ", "passage": "read: "})))
    own = embedder()
    np.testing.assert_allclose(own.documents(["a dog"]), bare.documents(["read: a dog"]), atol=1e-6)
    own.load()
    np.testing.assert_allclose(own.query("a dog", 5), bare.documents(["ask: a dog"])[0], atol=1e-6)


def test_a_model_without_prompts_gets_those_its_name_asks_for(
    configured: Configure, on_disk: Callable[..., Path]
) -> None:
    configured(provider="local", model=str(on_disk("plain")))
    bare = embedder()
    folder = on_disk("multilingual-e5-tiny-base")
    configured(provider="local", model=str(folder), embedding_dim=None)
    made = for_identity(Identity("local", str(folder), 768))
    with pytest.raises(ModelMisconfigured, match="gives vectors of 24 numbers, and they are to have 768"):
        made.documents(["a dog"])
    prefixed = on_disk("nomic-embed-text-v1.5")
    nomic = for_identity(Identity("local", str(prefixed), 64))
    with pytest.raises(ModelMisconfigured, match="24 numbers"):
        nomic.documents(["a dog"])
    arctic = on_disk("e5-other")
    configured(provider="local", model=str(arctic))
    np.testing.assert_allclose(embedder().documents(["a dog"]), bare.documents(["a dog"]), atol=1e-6)


def test_a_length_that_a_model_on_disk_does_not_have_is_said(
    configured: Configure, on_disk: Callable[..., Path]
) -> None:
    configured(provider="local", model=str(on_disk("my-model")), embedding_dim=16)
    with pytest.raises(ModelMisconfigured, match="gives vectors of 24 numbers, and they are to have 16"):
        embedder().documents(["a dog"])


def test_a_model_that_is_not_here_is_not_fetched(configured: Configure) -> None:
    configured(provider="local", model="somebody/not-on-this-machine")
    started = time.monotonic()
    with pytest.raises(ModelMisconfigured, match=r"not-on-this-machine cannot be loaded.*hf download"):
        embedder().documents(["a dog"])
    assert time.monotonic() - started < 60
    assert embedder().query("a dog") is None


def test_a_local_embedder_that_is_not_installed_says_what_to_do(
    configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "installed", lambda package: package != "sentence_transformers")
    configured(provider="local", model="some/other")
    with pytest.raises(ModelMisconfigured, match="CAESAR_SEMANTIC__PROVIDER=onnx"):
        embedder().documents(["a dog"])


LOADED_LAZILY = """
import sys, django
django.setup()
from memory.llm import embedding
made = embedding.embedder()
made.identity
heavy = {"torch", "sentence_transformers", "onnxruntime", "tokenizers", "litellm", "transformers"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
made.load()
import os, gc
assert os.environ["OMP_WAIT_POLICY"] == "passive"
assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
assert os.environ["HF_HUB_OFFLINE"] == "1"
assert gc.isenabled()
print("torch" in sys.modules)
"""


@pytest.mark.parametrize(("provider", "torch"), [("onnx", "False"), ("local", "True")])
def test_nothing_heavy_is_imported_before_it_is_needed(provider: str, torch: str, tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    env |= {"CAESAR_SEMANTIC__PROVIDER": provider, "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOADED_LAZILY], env=env, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout.strip(), done.returncode) == (torch, 0), done.stderr
    assert done.stderr == ""
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []  # such as an id to report under
