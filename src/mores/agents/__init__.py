"""One mind: a persona, a memory, and a policy that makes something of both."""
