"""Work that a studio does beside its requests, in a thread of its own."""

from threading import Event, Thread

import msgspec

from mores.studio.config import StudioConfig


class BackgroundWorker(msgspec.Struct, eq=False):
    """Works until it is stopped; of the processes of a studio one does so, and another follows where it dies."""

    config: StudioConfig
    stopping: Event = msgspec.field(default_factory=Event)

    def start(self) -> Thread:
        """Begin, in a thread of its own that ends with the process."""
        thread = Thread(target=self.run, name=type(self).__name__, daemon=True)
        thread.start()
        return thread

    def run(self) -> None:
        """Work, until it is stopped."""
        raise NotImplementedError
