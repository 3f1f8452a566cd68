"""Small TCP and UDP programs, as a separate script inside a network namespace: `python -I talk.py COMMAND ...`.

serve tcp|udp PORT NAME       Says `ready`. Tells each peer who it is and what address it sees, then echoes.
ask tcp|udp ADDRESS PORT N    Sends N bytes, wants them back; prints what the server told, as JSON.
survey PORT SECONDS ADDRESS.. Asks TCP servers at once who they are; prints who answered in time, as JSON by address.
solicit DEVICE                Sends a router solicitation.
stream ADDRESS PORT           One connection that sends a number every 50 ms and prints each that comes back.
"""

import json
import socket
import sys
import threading
import time

_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_RESEND = 0.5
_PAUSE = 0.05


def _hello(name: str, peer: str) -> bytes:
    return json.dumps({"name": name, "peer": peer}).encode() + b"\n"


def _echo(connection: socket.socket, name: str, peer: str) -> None:
    with connection:
        try:
            connection.sendall(_hello(name, peer))
            while data := connection.recv(65536):
                connection.sendall(data)
        except OSError as error:
            print(f"{peer}: {error}", flush=True)


def _serve_tcp(family: socket.AddressFamily, port: int, name: str) -> None:
    with socket.create_server(("", port), family=family, backlog=64) as server:
        while True:
            connection, (peer, *_) = server.accept()
            threading.Thread(target=_echo, args=(connection, name, peer), daemon=True).start()


def _serve_udp(family: socket.AddressFamily, port: int, name: str) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as server:
        if family == socket.AF_INET6:
            server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        server.bind(("", port))
        while True:
            data, address = server.recvfrom(65536)
            server.sendto(_hello(name, address[0]) + data, address)


def serve(kind: str, port: int, name: str) -> None:
    """Serve on every address of both families until killed."""
    work = _serve_tcp if kind == "tcp" else _serve_udp
    threads = [threading.Thread(target=work, args=(family, port, name)) for family in _FAMILIES]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    if not all(thread.is_alive() for thread in threads):
        sys.exit(1)
    print("ready", flush=True)


def _exchange(connection: socket.socket, payload: bytes, seconds: float) -> bytes:
    """Send a datagram, again and again until it is answered: what is too big for the way is lost at first."""
    connection.settimeout(_RESEND)
    deadline = time.monotonic() + seconds
    while True:
        connection.send(payload)
        try:
            return connection.recv(65536)
        except TimeoutError:
            if time.monotonic() > deadline:
                raise


def ask(kind: str, address: str, port: int, size: int, seconds: float) -> None:
    """Print {"name", "peer"} of the server when all bytes came back."""
    payload = bytes(number % 251 for number in range(size))
    if kind == "tcp":
        with socket.create_connection((address, port), timeout=seconds) as connection:
            replies = connection.makefile("rb")
            hello = replies.readline()
            sender = threading.Thread(target=connection.sendall, args=(payload,), daemon=True)
            sender.start()
            answer = replies.read(size)
    else:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as connection:
            connection.connect((address, port))
            hello, _, answer = _exchange(connection, payload, seconds).partition(b"\n")
    if answer != payload:
        sys.exit("other bytes came back")
    print(hello.decode().strip(), flush=True)


def survey(port: int, seconds: float, addresses: list[str]) -> None:
    """Print {ADDRESS: NAME} of the servers that answer within some seconds; ends earlier when all have answered."""
    names: dict[str, str] = {}

    def greet(address: str) -> None:
        try:
            with socket.create_connection((address, port), timeout=seconds) as connection:
                names[address] = json.loads(connection.makefile("rb").readline())["name"]
        except (OSError, ValueError):
            return

    threads = [threading.Thread(target=greet, args=(address,), daemon=True) for address in addresses]
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    print(json.dumps(dict(names)), flush=True)


def stream(address: str, port: int) -> None:
    """Print `hello` with what the server told, then every number that comes back, until the connection breaks."""
    with socket.create_connection((address, port), timeout=5) as connection:
        connection.settimeout(None)
        replies = connection.makefile("rb")
        print("hello", replies.readline().decode().strip(), flush=True)
        threading.Thread(target=_send_numbers, args=(connection,), daemon=True).start()
        for line in replies:
            print(line.decode().strip(), flush=True)
    sys.exit("the connection ended")


def _send_numbers(connection: socket.socket) -> None:
    number = 0
    while True:
        number += 1
        connection.sendall(f"{number}\n".encode())
        time.sleep(_PAUSE)


def solicit(device: str) -> None:
    """Send a router solicitation (RFC 4861, 4.1); the kernel fills in the checksum."""
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as raw:
        raw.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        raw.sendto(bytes([133, 0, 0, 0, 0, 0, 0, 0]), ("ff02::2", 0, 0, socket.if_nametoindex(device)))


def main(argv: list[str]) -> None:
    """Run one command; a connection that fails ends it with its error as the only line."""
    try:
        match argv:
            case ["serve", kind, port, name]:
                serve(kind, int(port), name)
            case ["ask", kind, address, port, size, seconds]:
                ask(kind, address, int(port), int(size), float(seconds))
            case ["survey", port, seconds, *addresses]:
                survey(int(port), float(seconds), addresses)
            case ["solicit", device]:
                solicit(device)
            case ["stream", address, port]:
                stream(address, int(port))
            case _:
                sys.exit(__doc__)
    except OSError as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
