"""The chat routes: asynchronous, beside Django, so that a slow model occupies no thread."""
