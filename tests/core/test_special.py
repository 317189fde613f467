"""Functions of scipy.special come late, and without what nobody calls."""

import subprocess
import sys

from scipy.special import ndtri

from mores.core import special


def said(words: str) -> str:
    return subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout.strip()


def test_functions_are_scipys() -> None:
    assert special.ndtri is ndtri


def test_scipy_is_imported_with_the_first_of_them_and_no_front_end_of_compilers() -> None:
    words = "import sys; from mores.core import special; before = 'scipy' in sys.modules; special.ndtri(0.5); "
    assert said(f"{words}print(before, 'scipy' in sys.modules, 'numpy.f2py' in sys.modules)") == "False True False"


def test_what_was_left_out_can_be_imported_afterwards() -> None:
    words = "from mores.core import special; special.ndtri(0.5); import numpy.f2py; "
    assert said(f"{words}print(numpy.f2py.__name__, callable(numpy.f2py.main))") == "numpy.f2py True"
