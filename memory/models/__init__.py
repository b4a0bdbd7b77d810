"""The tables. Each is written by one module alone; see that module's docstring."""

from memory.models.audit import AuditLog, Event
from memory.models.conversation import Conversation, MessageHash, OffRecord
from memory.models.document import Document
from memory.models.entity import AliasState, Entity, FactEntity, KeyAlias
from memory.models.episode import EpisodeSummary, Passage
from memory.models.fact import Fact, FactSource, FactState, SourceKind, Tombstone, TombstoneKind
from memory.models.importing import Import, ImportedChat, ImportState
from memory.models.installation import Installation
from memory.models.profile import ApiKey, Approval, Profile, Space
from memory.models.vector import Embedding, EmbeddingIdentity, EmbedQueue, IdentityState, OwnerKind
from memory.models.work import MemoryCursor, ModelPause, WorkItem, WorkKind, WorkState
from memory.models.worker import Worker

__all__ = [
    "AliasState",
    "ApiKey",
    "Approval",
    "AuditLog",
    "Conversation",
    "Document",
    "EmbedQueue",
    "Embedding",
    "EmbeddingIdentity",
    "Entity",
    "EpisodeSummary",
    "Event",
    "Fact",
    "FactEntity",
    "FactSource",
    "FactState",
    "IdentityState",
    "Import",
    "ImportState",
    "ImportedChat",
    "Installation",
    "KeyAlias",
    "MemoryCursor",
    "MessageHash",
    "ModelPause",
    "OffRecord",
    "OwnerKind",
    "Passage",
    "Profile",
    "SourceKind",
    "Space",
    "Tombstone",
    "TombstoneKind",
    "WorkItem",
    "WorkKind",
    "WorkState",
    "Worker",
]
