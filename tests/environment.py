"""What the tests run in: a home of their own and no setting of the machine's. Loaded before Django's settings."""

import atexit
import os
import shutil
import tempfile

for name in [n for n in os.environ if n.startswith("CAESAR_") and n != "CAESAR_REQUIRE_BROWSER"]:
    del os.environ[name]
HOME = tempfile.mkdtemp(prefix="caesar-test-")
os.environ["CAESAR_HOME"] = HOME
os.environ["CAESAR_ENV_FILE"] = os.devnull
# The same model as the default one without torch, which takes seconds to load.
os.environ["CAESAR_SEMANTIC__PROVIDER"] = "onnx"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "caesar.settings")
_owner = os.getpid()


@atexit.register
def _remove() -> None:
    if os.getpid() == _owner:
        shutil.rmtree(HOME, ignore_errors=True)
