"""Checks passes of Fairgate's waiting rooms with Python's standard library.

    from fairgate_verify import verify_pass
    verdict = verify_pass(token, room="tour", keys=jwks["keys"], epoch=7, revoked=set(), now=int(time.time()))
    if not verdict["ok"]: ...  # verdict["reason"]

`keys` are JSON Web Keys: the public keys of /.well-known/fairgate/{room}/jwks.json, or with HS256 the key of the room, epoch
and token type as {"kty": "oct", "alg": "HS256", "kid": "tour.7", "typ": "fg-pass+jwt", "k": "..."}.

ES256 is checked with the package `cryptography` where it is installed, otherwise in Python (about ten milliseconds).
"""

import base64
import hashlib
import hmac
import json
import re

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
except ImportError:
    ec = None

MAX_TOKEN = 1024
MAX_CLOCK_SKEW_SECONDS = 30

# The curve P-256 (FIPS 186-5): y^2 = x^3 - 3x + B modulo P, with N points.
P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def verify_pass(token, room, keys, epoch, now, revoked=frozenset()):
    """Checks the pass of a visitor, the value of the pass cookie."""
    parsed = _parse(token)
    if parsed is None:
        return _refused("malformed")
    header, claims, signature, signed = parsed
    if set(header) != {"alg", "kid", "typ"}:
        return _refused("malformed")
    if header["typ"] != "fg-pass+jwt":
        return _refused("wrong_type")
    key = next((k for k in keys if k.get("kid") == header["kid"] and k.get("typ") == header["typ"]), None)
    if key is None:
        return _refused("unknown_key")
    check = {("ES256", "EC"): _es256_is_valid, ("HS256", "oct"): _hs256_is_valid}.get((key.get("alg"), key.get("kty")))
    if check is None or header["alg"] != key["alg"]:
        return _refused("wrong_algorithm")
    if not check(key, signature, signed):
        return _refused("bad_signature")
    numbers = [claims.get(name) for name in ("ep", "t", "iat", "exp")]
    if not all(type(n) is int and n >= 0 for n in numbers) or type(claims.get("jti")) is not str:
        return _refused("malformed")
    if claims.get("aud") != room:
        return _refused("other_room")
    if claims["ep"] != epoch:
        return _refused("old_epoch")
    if claims["iat"] > now + MAX_CLOCK_SKEW_SECONDS:
        return _refused("not_yet_valid")
    if claims["exp"] <= now:
        return _refused("expired")
    if claims["jti"] in revoked:
        return _refused("revoked")
    return {"ok": True, "claims": claims}


def _refused(reason):
    return {"ok": False, "reason": reason}


def _parse(token):
    """The parts of a compact JWS; None when it is malformed."""
    if type(token) is not str or len(token) > MAX_TOKEN:
        return None
    parts = token.split(".")
    decoded = [_decode(part) for part in parts]
    if len(parts) != 3 or None in decoded:
        return None
    header, claims = _json_object(decoded[0]), _json_object(decoded[1])
    if header is None or claims is None:
        return None
    return header, claims, decoded[2], f"{parts[0]}.{parts[1]}".encode("ascii")


def _decode(text):
    """The bytes of base64url without padding; None for any other spelling of the same bytes."""
    if type(text) is not str or not re.fullmatch(r"[A-Za-z0-9_-]+", text, re.ASCII) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii") == text else None


def _json_object(data):
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict else None


def _hs256_is_valid(key, signature, signed):
    secret = _decode(key.get("k"))
    if secret is None or len(secret) < 32:
        return False
    return hmac.compare_digest(hmac.digest(secret, signed, "sha256"), signature)


def _es256_is_valid(key, signature, signed):
    x, y = _decode(key.get("x")), _decode(key.get("y"))
    if key.get("crv") != "P-256" or x is None or y is None or len(signature) != 64:
        return False
    point = int.from_bytes(x, "big"), int.from_bytes(y, "big")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < N and 0 < s < N):
        return False
    return _verify_natively(point, r, s, signed) if ec else _verify_in_python(point, r, s, signed)


def _verify_natively(point, r, s, signed):
    try:
        key = ec.EllipticCurvePublicNumbers(point[0], point[1], ec.SECP256R1()).public_key()
        key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
        return True
    except (InvalidSignature, ValueError):
        return False


def _verify_in_python(point, r, s, signed):
    x, y = point
    if not (x < P and y < P) or (y * y - (x * x * x - 3 * x + B)) % P != 0:
        return False
    digest = int.from_bytes(hashlib.sha256(signed).digest(), "big")
    inverse = pow(s, -1, N)
    total = _add(_multiply(digest * inverse % N, G), _multiply(r * inverse % N, point))
    return total is not None and total[0] % N == r


def _multiply(factor, point):
    total = None
    while factor:
        if factor & 1:
            total = _add(total, point)
        point = _add(point, point)
        factor >>= 1
    return total


def _add(a, b):
    """The sum of two points; None is the point at infinity."""
    if a is None or b is None:
        return b if a is None else a
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    if a == b:
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P
