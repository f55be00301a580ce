"""Verifies DKIM signatures with dkimpy and prints one line of JSON for each message: `true` or `false`.

Argument: the spool file. Standard input: one line with the DNS records by name, then one line of JSON for each message, with `offset` and
`length`. No name server is asked.
"""

import json
import sys

import dkim

records = json.loads(sys.stdin.readline())


def record(name, timeout=5):
    value = records.get(name.decode().rstrip("."))
    return None if value is None else value.encode()


with open(sys.argv[1], "rb") as spool:
    for line in sys.stdin:
        mail = json.loads(line)
        spool.seek(mail["offset"])
        try:
            print(json.dumps(dkim.verify(spool.read(mail["length"]), dnsfunc=record)))
        except dkim.DKIMException:
            print("false")
