"""A client of the control socket with a persistent connection, which saves the start of a command per request."""
import http.client
import json
import socket
from pathlib import Path

from console import Failure

PATIENCE_S = 10


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: Path):
        super().__init__("localhost", timeout=PATIENCE_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class Control:
    """Sends requests to the daemon that listens at `path`, also after a takeover. For one thread."""

    def __init__(self, path: Path):
        self._connection = _Connection(path)

    def __enter__(self) -> "Control":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def get(self, path: str) -> dict | list:
        return json.loads(self._ask("GET", path))

    def metrics(self) -> str:
        """As Prometheus reads them."""
        return self._ask("GET", "/metrics").decode()

    def set_node(self, node: str, state: str, **more) -> dict:
        """`nearcast node set`; `more`: forSeconds, force, reason, author."""
        return json.loads(self._ask("PUT", f"/v1/nodes/{node}/state", {"state": state, **more}))

    def set_nodes(self, nodes: list[str], state: str, **more) -> dict:
        """The same for many nodes in one request."""
        return json.loads(self._ask("PUT", "/v1/nodes/state", {"nodes": nodes, "change": {"state": state, **more}}))

    def patch(self, path: str, body: dict) -> dict:
        """Of records: see `nearcast record`."""
        return json.loads(self._ask("PATCH", path, body))

    def _ask(self, method: str, path: str, body: dict | None = None) -> bytes:
        """Raises OSError if no daemon listens, and Failure if it refuses."""
        try:
            self._connection.request(method, path, json.dumps(body) if body is not None else None)
            reply = self._connection.getresponse()
            text = reply.read()
        except http.client.HTTPException as error:
            self.close()
            raise ConnectionError(repr(error)) from error
        except OSError:
            self.close()
            raise
        if reply.status != 200:
            raise Failure(f"{method} {path}: {text.decode(errors='replace')[:300]}")
        return text
