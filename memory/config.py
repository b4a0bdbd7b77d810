"""The settings that memory itself reads: models, embeddings, and what is remembered and for how long.

Environment names follow from the fields: `CAESAR_MEMORY__FACTS_INJECT__MAX_FACTS` is
`memory.facts_inject.max_facts`. `caesar.config` adds what the installation needs and validates the whole.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from memory.llm import providers


class Section(BaseModel):
    """A group of settings. A name it does not know is a mistake worth stopping for."""

    model_config = ConfigDict(extra="forbid", validate_default=True)


class Keyed(Section):
    """A hosted provider."""

    api_key: SecretStr = Field(SecretStr(""), description="API key. Never logged, never stored.")


class OpenAICompatible(Keyed):
    base_url: str = Field("", description="Base URL of any OpenAI-compatible server, with its /v1.")

    @field_validator("base_url")
    @classmethod
    def _http(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return value.rstrip("/")


class Ollama(Section):
    base_url: str = Field("http://127.0.0.1:11434", description="Where Ollama listens.")


class Builtin(Section):
    model_path: Path | None = Field(None, description="A GGUF file to run in the box (needs `make llama`).")
    port: int = Field(8011, ge=1, le=65535, description="Loopback port of the in-box model server.")

    @property
    def server_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


class TaskRoute(Section):
    provider: str
    model: str = ""

    @field_validator("provider")
    @classmethod
    def _known(cls, value: str) -> str:
        return providers.known(value)


Task = Literal["chat", "memory_extract", "memory_summarise"]


class LLM(Section):
    provider: str = Field(
        "builtin",
        description="anthropic, openai (any compatible server by base URL), ollama, any other litellm provider "
        "by its name, or builtin: no language model.",
    )
    model: str = Field("", description="The provider's name of the model.")
    system_prompt: str = Field("", description="Put before every chat, together with what is remembered.")
    timeout_seconds: float = Field(60.0, gt=0, description="Longest wait for a model's (next) answer.")
    anthropic: OpenAICompatible = Field(default_factory=OpenAICompatible)
    openai: OpenAICompatible = Field(default_factory=OpenAICompatible)
    ollama: Ollama = Field(default_factory=Ollama)
    builtin: Builtin = Field(default_factory=Builtin)
    task_routing: dict[Literal["memory_extract", "memory_summarise"], TaskRoute] = Field(
        default_factory=dict,
        description='Another model for a background task, as JSON: {"memory_extract": {"provider": "ollama", '
        '"model": "llama3.1:8b"}}.',
    )

    @field_validator("provider")
    @classmethod
    def _known(cls, value: str) -> str:
        return providers.known(value or providers.BUILTIN)


class Semantic(Section):
    provider: str = Field(
        "",
        description="local (sentence-transformers), onnx (the same model without torch), voyage, openai (any "
        "compatible server by its base URL), ollama, or any other litellm embedding provider by its name; unset = "
        "local where it is installed, else onnx.",
    )
    model: str = Field(
        "",
        description="The embedding model; unset = the provider's usual one. For local also a folder, or a "
        "sentence-transformers model that was downloaded to this machine.",
    )
    embedding_dim: int | None = Field(
        None, ge=8, le=4000, description="Length of a vector, where the model leaves a choice."
    )
    voyage_api_key: SecretStr = Field(SecretStr(""), description="Key for Voyage. Never logged, never stored.")
    enabled: bool = Field(False, description="Index raw chat for the explicit semantic recall tool.")
    query_budget_ms: int = Field(
        150,
        ge=1,
        le=5000,
        description="Milliseconds that a chat waits for its question's vector, then words alone decide; a provider far "
        "away may need more.",
    )

    @field_validator("provider")
    @classmethod
    def _known(cls, value: str) -> str:
        return providers.embeds(value) if value.strip() else ""


class FactsExtract(Section):
    enabled: bool = Field(True, description="Read finished chats for durable facts.")
    interval_seconds: float = Field(60.0, gt=0, description="How often finished chats are looked for.")
    batch_size: int = Field(8, ge=1, le=1000, description="Conversations a worker works off per wake-up.")
    max_facts: int = Field(50, ge=1, le=100, description="Most facts taken from one reading.")


class FactsInject(Section):
    enabled: bool = Field(True, description="Give what is known to the model with each chat.")
    max_facts: int = Field(30, ge=0, description="Most facts in the block.")
    max_chars: int = Field(2048, ge=0, description="Most characters of the block, header and fence included.")


class FactsImportance(Section):
    halflife_days: float = Field(60.0, gt=0, description="Age scale of freshness = exp(-age / halflife).")
    edit_weight_scale: float = Field(0.5, ge=0, description="edit weight = 1 + scale x edits of the key.")


class FactsRecall(Section):
    top_k: int = Field(3, ge=0, description="Most facts recalled by query.")
    min_score: float = Field(0.25, ge=-1, le=1, description="Least semantic score.")
    min_lexical: float = Field(0.34, ge=0, le=1, description="Least lexical score beside an exact anchor.")
    max_chars: int = Field(300, ge=1, description="Most characters of one recalled fact.")


class EpisodesSummarise(Section):
    enabled: bool = Field(True, description="Summarise finished conversations.")
    interval_seconds: float = Field(60.0, gt=0, description="How often finished chats are looked for.")
    batch_size: int = Field(4, ge=1, le=1000, description="Conversations a worker works off per wake-up.")


class EpisodesRecall(Section):
    enabled: bool = Field(True, description="Recall past conversations that fit the chat.")
    top_k: int = Field(3, ge=0, description="Most episodes recalled.")
    similarity_threshold: float = Field(0.45, ge=-1, le=1, description="Least score of an episode.")
    max_age_days: float = Field(90.0, gt=0, description="Older episodes are not recalled.")
    halflife_days: float = Field(30.0, gt=0, description="Age scale of an episode's freshness.")
    recall_weight_scale: float = Field(0.25, ge=0, description="recall weight = 1 + scale x ln(1 + recalls).")
    max_chars: int = Field(2048, ge=0, description="Most characters of the episodes' part.")


class Documents(Section):
    max_bytes: int = Field(20_000_000, ge=1, le=200_000_000, description="Largest document that is taken, in bytes.")
    max_pages: int = Field(300, ge=1, le=5_000, description="Most pages of a document.")
    max_chars: int = Field(1_000_000, ge=1, le=10_000_000, description="Most characters of text in a document.")
    timeout_seconds: int = Field(30, ge=1, le=600, description="Longest time in which a document is converted.")
    memory_mb: int = Field(768, ge=256, le=16_384, description="Most memory of the process that converts a document.")


class Memory(Section):
    consent_default: bool = Field(False, description="Is memory on for a profile that is made by being named?")
    approval_default: Literal["auto", "review"] = Field(
        "auto", description="Who accepts facts in a new profile: auto, or review by the person."
    )
    facts_extract: FactsExtract = Field(default_factory=FactsExtract)
    facts_inject: FactsInject = Field(default_factory=FactsInject)
    facts_importance: FactsImportance = Field(default_factory=FactsImportance)
    facts_recall: FactsRecall = Field(default_factory=FactsRecall)
    episodes_summarise: EpisodesSummarise = Field(default_factory=EpisodesSummarise)
    episodes_recall: EpisodesRecall = Field(default_factory=EpisodesRecall)
    documents: Documents = Field(default_factory=Documents)
    retention_days: float = Field(90.0, gt=0, le=36_500, description="Audit rows older than this are swept.")
    sweep_interval_seconds: float = Field(3600.0, gt=0, description="How often the sweep runs.")
    undo_hours: float = Field(24.0, ge=0, description="How long a deleted fact can be brought back; then it is purged.")
    max_attempts: int = Field(4, ge=1, le=100, description="Readings of one chat that may fail before it is dead.")
    templates_path: Path | None = Field(None, description="YAML file with more sentences for keys.")


class MemorySections(BaseModel):
    """What memory sees of the settings."""

    llm: LLM = Field(default_factory=LLM)
    semantic: Semantic = Field(default_factory=Semantic)
    memory: Memory = Field(default_factory=Memory)


def conf() -> MemorySections:
    """The settings in force."""
    from django.conf import settings

    return cast(MemorySections, settings.CAESAR)
