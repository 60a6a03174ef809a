"""Threads that run in the background of a `with` block."""
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


class Crew:
    """Runs `work` on a thread for each of the arguments, in the way of `Background`; for classes whose threads share what they
    find."""

    def __init__(self, work, arguments):
        self.stopping = threading.Event()
        self._threads = [threading.Thread(target=work, args=each, daemon=True) for each in arguments]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.stopping.set()
        for thread in self._threads:
            thread.join()
