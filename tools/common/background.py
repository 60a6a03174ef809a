"""Threads that work beside the tool while a `with` block runs."""
import threading


class Background(threading.Thread):
    """`run` is left once `stopping` is set, which the end of the block does and waits for."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stopping = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self.stopping.set()
        self.join()
