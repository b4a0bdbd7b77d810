"""Every route but the chat's, which `caesar.asgi` serves beside Django."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from caesar.api import health
from caesar.chat_page import views as chat_page
from caesar.login import password
from caesar.login import views as login
from caesar.statics import favicon

handler400 = "caesar.failures.bad_request"
handler403 = "caesar.failures.forbidden"
handler404 = "caesar.failures.not_found"
handler500 = "caesar.failures.server_error"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="dashboard:facts")),
    path("dashboard/chat", chat_page.talk, name="chat"),
    path("dashboard/settings/password", password.change, name="password"),
    path("dashboard/", include("dashboard.urls")),
    path("login/", login.enter, name="login"),
    path("logout/", login.leave, name="logout"),
    path("v1/", include("caesar.api.urls")),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="schema")),
    path("favicon.ico", favicon),
    path("admin/", admin.site.urls),
]
