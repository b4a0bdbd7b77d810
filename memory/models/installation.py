"""What this installation is, independent of any person."""

from __future__ import annotations

from django.db import models


class Installation(models.Model):
    """Named secrets that must survive a rotation of the secret key and be the same on every host.

    `hash_key` keys the hashes of messages and of deleted values; made by the first migration.
    """

    name = models.TextField(primary_key=True)
    value = models.BinaryField()

    class Meta:
        db_table = "installation"
        verbose_name_plural = "installation"
