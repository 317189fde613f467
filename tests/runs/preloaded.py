"""What the process that commands are copied from has read beforehand, beside its modules: the bundled pack."""

import gc

from mores.norms.pack import load_pack

load_pack()
gc.freeze()  # no copy looks for garbage among what all share
