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
