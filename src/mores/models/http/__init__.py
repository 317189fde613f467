"""HTTP through libcurl: a POST brings the body of an answer and its seconds, or raises `CallFailed`.

`client.py` has `HttpClient`, which is all that others call, and the options of a transfer; `pool.py` runs transfers on
an asyncio loop; `bodies.py` bounds and decompresses what comes; `dns.py` looks names up. Five things to know:

1. **multi and socket_action.** libcurl tells by callbacks which sockets it waits for and when it wants to be woken;
   `socket_action` is then called, and `info_read` brings the transfers that ended, many at a time. All sockets are in a
   selector of ours, and asyncio watches that selector alone: a call costs the loop one future. libcurl must not be
   called from its own callbacks, so these take notes and act in the loop's next turn.
2. **Paused writes.** A write callback that returns PAUSE is given the same piece again after `pause(PAUSE_CONT)`: so a
   body that grows large waits until few others are being read, and memory stays bounded. One that returns a wrong count
   ends the transfer: so is a body cut that goes beyond its limit.
3. **FRESH_CONNECT after an idle close.** libcurl looks once a second whether a server has closed a kept connection, and
   a POST into a closed one fails, though it may have been heard. Idle sockets therefore stay in our selector; once one
   stirs, calls open new connections for two seconds. Nor may libcurl put such a POST twice, which might be paid twice:
   it reads each body by a callback and cannot rewind it.
4. **RESOLVE lists.** libcurl's own look-up holds up the end of a program while a name server is silent. Threads that
   nobody waits for look names up, and each handle is told `host:port:addresses`.
5. **Handles that must be cleared.** A handle keeps settings and buffers, which makes it cheap. After each call, also a
   cancelled one, it is taken out of its multi handle, which closes the connection of a call under way, and its buffers
   are emptied; the next call would else be given bytes of the last.
"""

from mores.models.http.bodies import LARGEST_PROBE, LARGEST_REPLY
from mores.models.http.client import HttpClient
from mores.models.http.pool import LIBCURL

__all__ = ["LARGEST_PROBE", "LARGEST_REPLY", "LIBCURL", "HttpClient"]
