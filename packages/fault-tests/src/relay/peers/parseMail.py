"""Parses messages with Python's `email` package and prints one line of JSON for each.

Argument: the spool file. Standard input: one line of JSON for each message, with `offset` and `length`.
"""

import email
import email.header
import email.policy
import email.utils
import hashlib
import inspect
import json
import sys

STRICT = "strict" in inspect.signature(email.utils.getaddresses).parameters


def decoded(value):
    """The value of a header field as text. A field with UTF-8 (RFC 6532) comes from the parser as escaped bytes."""
    octets = value.replace("\r", "").replace("\n", "").strip(" \t").encode("utf-8", "surrogateescape")
    return octets.decode("utf-8", "replace")


def without_encoding(text):
    """Decodes the encoded words of a text (RFC 2047)."""
    return str(email.header.make_header(email.header.decode_header(text)))


def addresses(fields, name):
    """The names and addresses of the fields with this name.

    The newer interface of the package gives the addresses. It adds spaces between the encoded words of a name, so the older one gives the names.
    """
    found = []
    for value in (value for other, value in fields if other.lower() == name):
        newer = email.policy.default.header_factory(name, value).addresses
        older = email.utils.getaddresses([value], strict=False) if STRICT else email.utils.getaddresses([value])
        names = [without_encoding(display) for display, _ in older]
        same = len(names) == len(newer)
        found += [[names[n] if same else one.display_name, one.addr_spec] for n, one in enumerate(newer)]
    return found


def content(part):
    """The decoded text of a part, or `None` without the part."""
    return None if part is None else part.get_content()


def attachment(part):
    body = part.get_payload(decode=True)
    if body is None:
        body = part.get_payload(0).as_bytes() if part.is_multipart() else b""
    # `part["Content-ID"]` would decode encoded words, which a message id cannot have (RFC 2047 §5).
    identifier = next((decoded(value) for name, value in part.raw_items() if name.lower() == "content-id"), None)
    return {
        "filename": part.get_filename(),
        "contentType": part.get_content_type(),
        "contentId": None if identifier is None else identifier.strip("<>"),
        "disposition": part.get_content_disposition(),
        "size": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
    }


def structure(part):
    kind = part.get_content_type()
    return f"{kind}({','.join(structure(one) for one in part.iter_parts())})" if part.is_multipart() else kind


def defects_of(message, fields):
    """What is wrong with the form. A local part in UTF-8 is not (RFC 6532)."""
    found = [type(defect).__name__ for part in message.walk() for defect in part.defects]
    own = [(name, email.policy.default.header_factory(name, value)) for name, value in fields]
    inner = [item for part in message.walk() if part is not message for item in part.items()]
    for name, value in own + inner:
        found += [f"{type(defect).__name__} in {name}: {defect}" for defect in getattr(value, "defects", [])]
    return [one for one in found if not one.startswith("NonASCIILocalPartDefect")]


def parsed(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    fields = [(name, decoded(value)) for name, value in message.raw_items()]
    text = message.get_body(("plain",))
    html = message.get_body(("html",))
    parts = [one for one in message.walk() if not one.is_multipart() and one is not text and one is not html]
    return {
        "headers": [[name, without_encoding(value)] for name, value in fields],
        "subject": next((without_encoding(value) for name, value in fields if name.lower() == "subject"), None),
        "from": addresses(fields, "from"),
        "to": addresses(fields, "to"),
        "cc": addresses(fields, "cc"),
        "replyTo": addresses(fields, "reply-to"),
        "text": content(text),
        "html": content(html),
        "attachments": [attachment(one) for one in parts],
        "structure": structure(message),
        "defects": defects_of(message, fields),
    }


NOTHING = {
    "headers": [],
    "subject": None,
    "from": [],
    "to": [],
    "cc": [],
    "replyTo": [],
    "text": None,
    "html": None,
    "attachments": [],
    "structure": "",
    "defects": [],
}

with open(sys.argv[1], "rb") as spool:
    for line in sys.stdin:
        mail = json.loads(line)
        spool.seek(mail["offset"])
        try:
            answer = parsed(spool.read(mail["length"]))
        except Exception as problem:  # A message that crashes the parser is a result of the test.
            answer = {**NOTHING, "error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(answer))
