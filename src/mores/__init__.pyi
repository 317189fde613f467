from mores.api.notebook import collect as collect
from mores.api.notebook import compare as compare
from mores.api.notebook import judge as judge
from mores.api.notebook import load as load
from mores.api.notebook import merge as merge
from mores.api.notebook import resume as resume
from mores.api.notebook import run as run
from mores.api.notebook import run_async as run_async

__version__: str
__all__ = ["__version__", "collect", "compare", "judge", "load", "merge", "resume", "run", "run_async"]
