"""The project: settings, routes, processes."""

from caesar.celery import app as celery_app

__all__ = ["celery_app"]
