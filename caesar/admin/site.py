"""The admin site: each view runs in the operator's scope."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from memory.db import operator_scope


class ScopedAdminSite(admin.AdminSite):
    """Opens the operator's scope around each view, so that row-level security lets the operator through."""

    site_header = "CAESAR memory"
    site_title = "CAESAR"
    index_title = "All tables"

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        @wraps(view)
        def scoped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            with operator_scope():
                response = view(request, *args, **kwargs)
                # Templates read rows lazily: they must do so before the scope ends.
                if hasattr(response, "render") and callable(response.render):
                    response.render()
                return response

        return super().admin_view(scoped, cacheable)
