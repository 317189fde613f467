from mores.api import compare as compare
from mores.api import judge as judge
from mores.api import load as load
from mores.api import merge as merge
from mores.api import resume as resume
from mores.api import run as run
from mores.api import run_async as run_async
from mores.api import take as take

__version__: str
__all__ = ["__version__", "compare", "judge", "load", "merge", "resume", "run", "run_async", "take"]
