"""Servers of nodes, one at each address at a port: they accept, and close. Standard input says `stop ADDRESS` or
`start ADDRESS`; each line is repeated when it is done. Ends with its input, unless started with `stay`."""
import selectors
import socket
import sys

BACKLOG = 64


def listen(address: str, port: int) -> socket.socket:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    server.listen(BACKLOG)
    server.setblocking(False)
    return server


def serve(port: int, addresses: list[str]) -> None:
    ready = selectors.DefaultSelector()
    servers = {address: listen(address, port) for address in addresses}
    for server in servers.values():
        ready.register(server, selectors.EVENT_READ)
    ready.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in ready.select():
            if key.fileobj is not sys.stdin:
                try:
                    key.fileobj.accept()[0].close()
                except OSError:
                    continue  # who asked is gone already
                continue
            line = sys.stdin.readline()
            if not line:
                return
            what, _, address = line.strip().partition(" ")
            if what == "stay":
                ready.unregister(sys.stdin)
            elif what == "stop":
                ready.unregister(servers[address])
                servers.pop(address).close()
            else:
                servers[address] = listen(address, port)
                ready.register(servers[address], selectors.EVENT_READ)
            print(line, end="", flush=True)


serve(int(sys.argv[1]), sys.argv[2:])
