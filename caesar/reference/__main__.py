"""Write docs/reference and `.env.example` anew: `python -m caesar.reference`."""

from __future__ import annotations

import os

import django

from caesar.config import ROOT

FOLDER = ROOT / "docs" / "reference"

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "caesar.settings")
    django.setup()
    from caesar import envfile
    from caesar.reference import pages

    for name, text in pages.all_pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    (ROOT / ".env.example").write_text(envfile.text(), encoding="utf-8")
