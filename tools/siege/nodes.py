"""The servers of checked nodes: HTTP at each address, and a hostile one that sends "100 Continue" for ever.

usage: nodes.py HOSTILE-ADDRESS ADDRESS...; a line of input, `ADDRESS up` or `ADDRESS down`, opens or closes a server, and is repeated when that
is done. Ends with its input."""
import asyncio
import contextlib
import sys

PORT = 80
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n" * 4096
# Some 100 KB each: at most 50 MB a second of each connection, however fast it is read.
PAUSE_S = 0.002


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(PAGE)
        await writer.drain()
    writer.close()


async def go_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while not writer.is_closing():
            writer.write(INTERIM)
            await writer.drain()
            await asyncio.sleep(PAUSE_S)
    writer.close()


async def main(hostile: str, addresses: list[str]) -> None:
    servers = {address: await asyncio.start_server(answer, address, PORT) for address in addresses}
    await asyncio.start_server(go_on, hostile, PORT)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print("ready", flush=True)
    while line := (await lines.readline()).decode():
        address, state = line.split()
        if state == "up":
            servers[address] = await asyncio.start_server(answer, address, PORT)
        else:
            servers[address].close()
        print(line, end="", flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
