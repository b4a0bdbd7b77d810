"""Documents that a person gave. Written by `memory.documents` alone."""

from __future__ import annotations

from django.db import models

from memory.models.conversation import Conversation
from memory.models.fields import now_column, uuid_key
from memory.models.profile import Profile


class Document(models.Model):
    """One file. Its text stands in the log, page by page, as a conversation in which its author alone speaks.

    So it is read, found, swept and removed as chats are. `digest` tells it from others; the file itself is not kept.
    """

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    conversation = models.OneToOneField(Conversation, on_delete=models.CASCADE, related_name="document")
    name = models.TextField()
    format = models.TextField()
    digest = models.BinaryField()
    size = models.IntegerField()
    pages = models.IntegerField(null=True)
    parts = models.IntegerField()
    characters = models.IntegerField()
    added_at = now_column()

    class Meta:
        db_table = "documents"
        constraints = [
            models.UniqueConstraint(fields=["profile", "digest"], name="document_once"),
            models.CheckConstraint(
                condition=models.Q(format__in=["text", "markdown", "pdf", "docx"]), name="document_format"
            ),
        ]

    def __str__(self) -> str:
        return self.name
