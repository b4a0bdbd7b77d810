"""Who works: each worker process tells of itself, on whatever host it runs."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.fields import now_column


class Worker(models.Model):
    """A worker process and what it said last. `problem`: why it takes no work at present; empty where it does."""

    name = models.TextField(primary_key=True)
    queues = ArrayField(models.TextField(), default=list)
    threads = models.IntegerField(default=0)
    version = models.TextField(default="")
    problem = models.TextField(default="", blank=True)
    started_at = models.DateTimeField()
    seen_at = now_column()

    class Meta:
        db_table = "workers"

    def __str__(self) -> str:
        return self.name
