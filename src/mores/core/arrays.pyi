from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["ArrayLike", "Codes", "Floats", "Integers", "Mask", "np", "npt"]
ArrayLike: TypeAlias = npt.ArrayLike
Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.integer[Any]]
Mask: TypeAlias = npt.NDArray[np.bool_]
