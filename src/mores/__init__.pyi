from mores.api import collect as collect
from mores.api import compare as compare
from mores.api import judge as judge
from mores.api import load as load
from mores.api import merge as merge
from mores.api import resume as resume
from mores.api import run as run
from mores.api import run_async as run_async

__version__: str
__all__ = ["__version__", "collect", "compare", "judge", "load", "merge", "resume", "run", "run_async"]
