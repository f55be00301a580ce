"""Verifies DKIM signatures with OpenDKIM and prints one line of JSON for each message: `true` or `false`.

Argument: the spool file. Standard input: as for `verifyDkim.py`. OpenDKIM takes the keys only from a name server. So this program runs in its own
network and mount namespaces (`unshare --net --mount`), where it is the name server on port 53.
"""

import concurrent.futures
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

TXT = 16
records = json.loads(sys.stdin.readline())


def bring_up_loopback():
    """Sets the flag IFF_UP of the interface `lo`, which is down in a new namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        get_flags, set_flags, up = 0x8913, 0x8914, 1
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(control, get_flags, request))[1]
        fcntl.ioctl(control, set_flags, struct.pack("16sH14x", b"lo", flags | up))


def use_own_name_server():
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        file.write("nameserver 127.0.0.1\noptions timeout:2 attempts:1\n")
    subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)
    os.unlink(file.name)


def answer_to(query):
    labels, place = [], 12
    while query[place] != 0:
        labels.append(query[place + 1 : place + 1 + query[place]].decode())
        place += query[place] + 1
    question = query[12 : place + 5]
    kind = struct.unpack("!H", query[place + 1 : place + 3])[0]
    value = records.get(".".join(labels).lower()) if kind == TXT else None
    if value is None:
        return query[:2] + struct.pack("!HHHHH", 0x8583, 1, 0, 0, 0) + question
    octets = value.encode()
    strings = b"".join(
        bytes([len(octets[n : n + 255])]) + octets[n : n + 255] for n in range(0, len(octets), 255)
    )
    data = struct.pack("!HHHIH", 0xC00C, TXT, 1, 60, len(strings)) + strings
    return query[:2] + struct.pack("!HHHHH", 0x8580, 1, 1, 0, 0) + question + data


def serve(server):
    while True:
        query, client = server.recvfrom(4096)
        server.sendto(answer_to(query), client)


def verified(raw):
    """OpenDKIM says nothing about a good signature, and something about any other message."""
    if b"dkim-signature:" not in raw.lower():
        return False
    result = subprocess.run(["opendkim-testmsg"], input=raw, capture_output=True, check=False)
    return result.returncode == 0 and not result.stdout + result.stderr


bring_up_loopback()
use_own_name_server()
name_server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
name_server.bind(("127.0.0.1", 53))
threading.Thread(target=serve, args=(name_server,), daemon=True).start()
with open(sys.argv[1], "rb") as spool, concurrent.futures.ThreadPoolExecutor(4) as pool:
    messages = []
    for line in sys.stdin:
        mail = json.loads(line)
        spool.seek(mail["offset"])
        messages.append(spool.read(mail["length"]))
    for result in pool.map(verified, messages):
        print(json.dumps(result))
