"""Functions of scipy.special come late, and without what nobody calls."""

import subprocess
import sys

from scipy.special import ndtri

from mores.core import special


def said(words: str) -> str:
    return subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout.strip()


def test_functions_are_scipys() -> None:
    assert special.ndtri is ndtri


def test_scipy_is_imported_with_the_first_of_them_and_without_the_package_around_them() -> None:
    words = "import sys; from mores.core import special; before = 'scipy' in sys.modules; special.ndtri(0.5); "
    parts = "[name in sys.modules for name in ('scipy.special._ufuncs', 'scipy.special', 'scipy._lib._array_api')]"
    assert said(f"{words}print(before, {parts})") == "False [True, False, False]"


def test_the_package_can_be_imported_afterwards_and_has_the_same_functions() -> None:
    words = "from mores.core import special; one = special.ndtri; import scipy.stats, scipy.special; "
    assert said(f"{words}print(scipy.special.ndtri is one, callable(scipy.special.logsumexp))") == "True True"


def test_what_is_no_single_function_comes_with_the_package() -> None:
    assert said("from mores.core import special; print(float(special.logsumexp([0.0, 0.0])) > 0.69)") == "True"


def test_threads_that_ask_for_the_first_of_them_together_all_get_it() -> None:
    words = """
from threading import Barrier, Thread
from mores.core import special
found, start = [], Barrier(8)
def ask():
    start.wait()
    found.append(float(special.ndtri(0.5)))
threads = [Thread(target=ask) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
print(found)
"""
    assert said(words) == str([0.0] * 8)


def test_a_thread_beside_can_import_the_package_at_any_time() -> None:
    words = """
import sys
from threading import Event, Thread
from mores.core import special
begun, found, done = Event(), [], Event()
def beside():
    begun.set()
    while not done.is_set():
        package = sys.modules.get("scipy.special")
        if package is not None and package.__spec__ is None:
            found.append(package)
thread = Thread(target=beside)
thread.start()
begun.wait()
special.ndtri(0.5)
done.set()
thread.join()
print(found)
"""
    assert said(words) == "[]"
