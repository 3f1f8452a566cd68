"""A relay between ovs-vswitchd and its database, as a separate script: `python -I relay.py LISTEN SERVER`.

Why: policies mark packets (EgressIP's pkt_mark), and the userspace datapath looks a tunnel's route and source address
up by that mark, for which it knows none: marked packets never leave. The kernel's datapath has no such trouble. The
tunnel option egress_pkt_mark=0 helps (ovs-vswitchd.conf.db(5)), but ovn-controller takes out of the database what it
has not put in. So the option is added on the way to ovs-vswitchd: OVSDB is JSON without framing (RFC 7047, section 4),
and wherever a tunnel has a local_ip, which ovn-controller always gives, it gets the option, too.
"""

import socket
import sys
import threading
from pathlib import Path

_FOUND = b'["local_ip",'
_WRITTEN = b'["egress_pkt_mark","0"],["local_ip",'


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    finally:
        target.shutdown(socket.SHUT_WR)


def _amend(source: socket.socket, target: socket.socket) -> None:
    held = b""
    try:
        while data := source.recv(65536):
            text = (held + data).replace(_FOUND, _WRITTEN)
            kept = _begun(text)
            held = text[len(text) - kept :]
            target.sendall(text[: len(text) - kept])
        target.sendall(held)
    finally:
        target.shutdown(socket.SHUT_WR)


def _begun(text: bytes) -> int:
    """How many octets at the end may be the beginning of what is looked for."""
    return next((length for length in range(len(_FOUND) - 1, 0, -1) if text.endswith(_FOUND[:length])), 0)


def _relay(client: socket.socket, remote: str) -> None:
    with client, socket.socket(socket.AF_UNIX) as server:
        server.connect(remote)
        up = threading.Thread(target=_copy, args=(client, server), daemon=True)
        up.start()
        _amend(server, client)
        up.join()


def main(listen: str, remote: str) -> None:
    """Serve until killed."""
    with socket.socket(socket.AF_UNIX) as listener:
        # whoever waits for the socket may connect as soon as it is there
        begun = f"{listen}.new"
        listener.bind(begun)
        listener.listen()
        Path(begun).rename(listen)
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_relay, args=(client, remote), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
