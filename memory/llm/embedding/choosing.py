"""Which embedder the settings mean, and which one made the vectors of an identity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory.config import MemorySections, conf
from memory.errors import ModelMisconfigured
from memory.llm.embedding import known, runtime
from memory.llm.embedding.identity import LOCAL, Identity
from memory.llm.embedding.minilm import MINILM, NAMES
from memory.llm.providers import IN_PROCESS
from memory.llm.routing import Route

ONNX = "onnx"
# An index takes no longer ones.
MOST_NUMBERS = 4000


@dataclass(frozen=True)
class Spec:
    """An embedder: what runs it (`local`, `onnx` or a provider), its model, and the length of its vectors.

    dim: None where only the model itself can tell. A route to what runs in this process has no address.
    """

    route: Route
    dim: int | None

    @property
    def provider(self) -> str:
        return self.route.provider

    @property
    def model(self) -> str:
        return self.route.model

    @property
    def family(self) -> str:
        return LOCAL if self.provider in IN_PROCESS else self.provider

    @property
    def public_name(self) -> str:
        """Its name for clients; of a folder on this machine the last part alone."""
        model = Path(self.model).name if self.model.startswith(("/", "~", ".")) else self.model
        return f"{self.family}/{model}"

    def is_called(self, name: str | None) -> bool:
        """Whether a client that names this model means it; one that names none, or `default`, does."""
        model = self.public_name.removeprefix(f"{self.family}/")
        return (name or "").strip() in {"", "default", self.public_name, model, f"{self.provider}/{model}"}


def configured() -> Spec:
    """What `CAESAR_SEMANTIC__` says. Raises ModelMisconfigured where that cannot be meant."""
    semantic = conf().semantic
    provider = semantic.provider or _installed()
    return _spec(provider, semantic.model.strip(), semantic.embedding_dim)


def of(identity: Identity) -> Spec:
    """What made the vectors of this identity, whatever the settings say now. Raises ModelMisconfigured.

    Keys and addresses are those that are set now.
    """
    provider = identity.provider
    if provider == LOCAL:
        set_now = conf().semantic.provider
        wanted = set_now if set_now in IN_PROCESS else _installed()
        provider = wanted if identity.model == MINILM else LOCAL
    return _spec(provider, identity.model, identity.dim)


def _installed() -> str:
    return LOCAL if runtime.installed("sentence_transformers") else ONNX


def _spec(provider: str, model: str, dim: int | None) -> Spec:
    if provider in IN_PROCESS and model.lower() in NAMES:
        model = MINILM
    elif provider == ONNX:
        raise ModelMisconfigured(
            f"The embedder onnx runs {MINILM} alone: unset CAESAR_SEMANTIC__MODEL, or set "
            "CAESAR_SEMANTIC__PROVIDER=local.",
            provider=provider,
            model=model,
        )
    model = model or known.provider(provider).model
    if not model:
        raise ModelMisconfigured(
            f"No embedding model is named for {provider}: set CAESAR_SEMANTIC__MODEL to one that it offers.",
            provider=provider,
        )
    facts = known.model(model)
    dim = dim or facts.dim
    if dim is not None and not facts.can_be(dim):
        raise wrong_length(provider, model, facts.dim or 0, dim)
    if dim is not None and dim > MOST_NUMBERS:
        raise too_long(provider, model, dim)
    return Spec(_route(provider, model, conf()), dim)


def _route(provider: str, model: str, settings: MemorySections) -> Route:
    llm, key, base_url = settings.llm, "", ""
    if provider == "voyage":
        key = settings.semantic.voyage_api_key.get_secret_value()
    elif provider == "openai":
        key, base_url = llm.openai.api_key.get_secret_value(), llm.openai.base_url
    elif provider == "ollama":
        base_url = llm.ollama.base_url
    return Route(provider, model, key, base_url, llm.timeout_seconds, section="CAESAR_SEMANTIC")


def wrong_length(provider: str, model: str, length: int, wanted: int) -> ModelMisconfigured:
    return ModelMisconfigured(
        f"The embedding model {model} gives vectors of {length} numbers, and they are to have {wanted}: unset "
        "CAESAR_SEMANTIC__EMBEDDING_DIM, or set it to a length that the model has.",
        provider=provider,
        model=model,
    )


def too_long(provider: str, model: str, length: int) -> ModelMisconfigured:
    return ModelMisconfigured(
        f"The embedding model {model} gives vectors of {length} numbers, and {MOST_NUMBERS} are the most that can be "
        "kept: set CAESAR_SEMANTIC__EMBEDDING_DIM to a shorter length that the model has.",
        provider=provider,
        model=model,
    )
