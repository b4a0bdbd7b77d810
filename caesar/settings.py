"""Django's settings, all derived from `caesar.config`."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured

from caesar import logs
from caesar.config import HSTS_SECONDS, ROOT, WrongSetting, config
from caesar.database import connection_settings
from caesar.embedded import home as caesar_home
from memory.version import VERSION

try:
    CAESAR = config()
except WrongSetting as error:
    raise ImproperlyConfigured(str(error)) from None

BASE_DIR = ROOT
DEBUG = False
SECRET_KEY = CAESAR.secret_key.get_secret_value() or caesar_home.secret(CAESAR.home, "secret-key")
ALLOWED_HOSTS = CAESAR.hosts
FORCE_SCRIPT_NAME = CAESAR.path_prefix or None
ROOT_URLCONF = "caesar.urls"
ASGI_APPLICATION = "caesar.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "caesar.apps.CaesarAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "memory",
    "workers",
    "dashboard",
    "caesar.apps.CaesarConfig",
    "caesar.login.apps.LoginConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "caesar.csp.ContentSecurityPolicy",
    "caesar.login.cookies.SecureCookies",
    "caesar.statics.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# Only the web process asks many short questions at once; in a Celery worker the pool warns at shutdown.
DATABASES = {"default": connection_settings(CAESAR, pool=os.environ.get("CAESAR_PROCESS") == "web")}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
SESSION_COOKIE_AGE = 7 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{CAESAR.path_prefix}/"
CSRF_COOKIE_SAMESITE = "Lax"
# One process serves the loopback by HTTP and, behind a proxy, the world by HTTPS: `caesar.login.cookies` marks cookies
# by how they were asked for (W012, W016), the proxy sends browsers from HTTP to HTTPS (W008), and what else lives under
# the same domain is not ours to bind (W005, W021). `caesar.checks` looks at what is left to the operator.
SILENCED_SYSTEM_CHECKS = [f"security.{name}" for name in ("W005", "W008", "W012", "W016", "W021")]
CSRF_FAILURE_VIEW = "caesar.failures.forbidden"
X_FRAME_OPTIONS = "DENY"
CSRF_TRUSTED_ORIGINS = [origin] if (origin := CAESAR.public_url.removesuffix(CAESAR.path_prefix)) else []
# Sent with what is asked for by HTTPS alone.
SECURE_HSTS_SECONDS = HSTS_SECONDS
SECURE_REFERRER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = CAESAR.max_request_bytes

LANGUAGE_CODE = "en"
# Those that the pages are translated into (dashboard/locale).
LANGUAGES = [("en", "English")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = f"{CAESAR.path_prefix}/static/"
# No files are collected: each is served from the package that brings it.
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["caesar.api.auth.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["caesar.api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "caesar.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "COMPACT_JSON": True,
    "STRICT_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "CAESAR memory",
    "DESCRIPTION": "Long-term memory for an assistant: chat, facts, and all that happened to them.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_PUBLIC": True,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "SCHEMA_PATH_PREFIX": "/v1",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {"EntityKind": "caesar.api.entities.KINDS"},
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "caesar.api.schema.add_by_hand",
    ],
}

LOGGING = logs.django_logging(CAESAR.log_level, CAESAR.log_format)
logs.configure_structlog(CAESAR.log_format)
