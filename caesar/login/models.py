"""One-time links. Written by `caesar.login.tokens` alone."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class LoginToken(models.Model):
    """That a link was given out, as a hash. It opens the account once, until `expires_at`."""

    digest = models.BinaryField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "login_tokens"
