#!/usr/bin/env python3
"""Checks a draw of Fairgate: nobody was dropped, added or moved, and the dice were public.

    python3 verify_draw.py bundle.tar
    python3 verify_draw.py --receipt my-entry.tlog-proof https://shop.example/draws/summer-2026

One file, standard library only, Python 3.9 or later. It trusts neither the shop nor this program's authors: what it computes is
described in docs/api/draw-format.md, and two other programs compute the same. Options: --help.

Exit status: 0 all checks passed, 1 a check failed, 2 the input cannot be read, is no evidence, or is not of this draw, 64 wrong usage.
"""

import argparse
import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import re
import struct
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

QUICKNET = {
    "hash": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "public_key": bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    "genesis": 1692803367,
    "period": 3,
}
SEAL_MARGIN_SECONDS = 60
# Time after a beacon round until its result must be public: of any draw, and of a room that lets people in.
GRACE_SECONDS = 15 * 60
OPEN_SECONDS = 60
MAX_NUMBER = 2**53 - 1
MAX_LEAVES = 50_000_000
# Tickets of the largest draw of a room, and the largest audit sample.
MAX_INT = 2**31 - 1
MAX_FILE = 1 << 26
MAX_BUNDLE = 1 << 30
MAX_RECEIPT = 65_536
# Time for the whole of a file, and for the bundle; a server gives its readers as much.
FILE_SECONDS = 60
BUNDLE_SECONDS = 15 * 60
ROOM_ADDRESS = re.compile("https?://[^/]+/q/([a-z0-9-]{1,40})/?")
CLASSES = ["acct", "eid", "paid", "passkey", "pat", "phone", "prior"]


# --- Bytes -----------------------------------------------------------------------------------------------------------


class Malformed(Exception):
    """Input that is not what its format says."""


class Refused(Exception):
    """The verdict: a code of the table of checks, and a detail for experts."""

    def __init__(self, code, detail=""):
        super().__init__(code, detail)
        self.code, self.detail = code, detail


def step(code, function, *arguments):
    """Calls the function; malformed input gives this code."""
    try:
        return function(*arguments)
    except (Malformed, ValueError, RecursionError) as e:
        raise Refused(code, str(e)) from None


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unbase64(text, size=None):
    """The bytes of standard base64 in its only spelling."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        raise Malformed("base64") from None
    if base64.b64encode(data).decode("ascii") != text or size not in (None, len(data)):
        raise Malformed("base64")
    return data


def whole_number(text):
    """A decimal number without sign or leading zeros."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,15}", text, re.ASCII) or int(text) > MAX_NUMBER:
        raise Malformed("number")
    return int(text)


def text_of(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("utf-8") from None
    if any(ord(c) < 32 and c != "\n" for c in text) or "\x7f" in text:
        raise Malformed("control character")
    return text


# --- Merkle trees (RFC 9162, section 2.1) ----------------------------------------------------------------------------


def leaf_hash(data):
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree_root(hashes):
    """The root over leaf hashes: complete subtrees in pairs, then the rest from the right."""
    if not hashes:
        return sha256()
    level = list(hashes)
    while len(level) > 1:
        above = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2:
            above.append(level[-1])
        level = above
    return level[0]


def inclusion_holds(index, size, leaf, proof, root):
    if not 0 <= index < size:
        return False
    fn, sn, r = index, size - 1, leaf
    for p in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = node_hash(p, r)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and r == root


# --- Ed25519 (RFC 8032) ----------------------------------------------------------------------------------------------

ED_P = 2**255 - 19
ED_L = 2**252 + 27742317777372353535851937790883648493
ED_D = -121665 * pow(121666, -1, ED_P) % ED_P
ED_I = pow(2, (ED_P - 1) // 4, ED_P)


def _ed_x(y, sign):
    if y >= ED_P:
        return None
    x2 = (y * y - 1) * pow(ED_D * y * y + 1, -1, ED_P) % ED_P
    x = pow(x2, (ED_P + 3) // 8, ED_P)
    if (x * x - x2) % ED_P:
        x = x * ED_I % ED_P
    if (x * x - x2) % ED_P or (x == 0 and sign):
        return None
    return ED_P - x if x & 1 != sign else x


def _ed_point(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = _ed_x(y, sign)
    return None if x is None else (x, y, 1, x * y % ED_P)


def _ed_add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % ED_P
    b = (p[1] + p[0]) * (q[1] + q[0]) % ED_P
    c = 2 * p[3] * q[3] * ED_D % ED_P
    d = 2 * p[2] * q[2] % ED_P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % ED_P, g * h % ED_P, f * g % ED_P, e * h % ED_P


def _ed_times(n, p):
    total = (0, 1, 1, 0)
    for bit in bin(n)[2:]:
        total = _ed_add(total, total)
        if bit == "1":
            total = _ed_add(total, p)
    return total


ED_BASE = _ed_point((4 * pow(5, -1, ED_P) % ED_P).to_bytes(32, "little"))


def ed25519_holds(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r = _ed_point(key), _ed_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= ED_L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ED_L
    left, right = _ed_times(s, ED_BASE), _ed_add(r, _ed_times(k, a))
    return (left[0] * right[2] - right[0] * left[2]) % ED_P == 0 and (left[1] * right[2] - right[1] * left[2]) % ED_P == 0


# --- Signatures of drand: BLS12-381, signatures in G1 (RFC 9380 and the BLS draft) --------------------------------------

BLS_P = int(
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab", 16
)
BLS_R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
BLS_X = 0xD201000000010000  # the curve's parameter is -BLS_X
BLS_TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
G2_BASE = (
    (
        int("024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8", 16),
        int("13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e", 16),
    ),
    (
        int("0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801", 16),
        int("0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be", 16),
    ),
)
SSWU_A = int("144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1d", 16)
SSWU_B = int("12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0", 16)
# The 11-isogeny of RFC 9380, appendix E.2: numerator and denominator of x, then of y; lowest power first.
ISOGENY = [
    [int(c, 16) for c in group.split()]
    for group in (
        """
        11a05f2b1e833340b809101dd99815856b303e88a2d7005ff2627b56cdb4e2c85610c2d5f2e62d6eaeac1662734649b7
        17294ed3e943ab2f0588bab22147a81c7c17e75b2f6a8417f565e33c70d1e86b4838f2a6f318c356e834eef1b3cb83bb
        d54005db97678ec1d1048c5d10a9a1bce032473295983e56878e501ec68e25c958c3e3d2a09729fe0179f9dac9edcb0
        1778e7166fcc6db74e0609d307e55412d7f5e4656a8dbf25f1b33289f1b330835336e25ce3107193c5b388641d9b6861
        e99726a3199f4436642b4b3e4118e5499db995a1257fb3f086eeb65982fac18985a286f301e77c451154ce9ac8895d9
        1630c3250d7313ff01d1201bf7a74ab5db3cb17dd952799b9ed3ab9097e68f90a0870d2dcae73d19cd13c1c66f652983
        d6ed6553fe44d296a3726c38ae652bfb11586264f0f8ce19008e218f9c86b2a8da25128c1052ecaddd7f225a139ed84
        17b81e7701abdbe2e8743884d1117e53356de5ab275b4db1a682c62ef0f2753339b7c8f8c8f475af9ccb5618e3f0c88e
        80d3cf1f9a78fc47b90b33563be990dc43b756ce79f5574a2c596c928c5d1de4fa295f296b74e956d71986a8497e317
        169b1f8e1bcfa7c42e0c37515d138f22dd2ecb803a0c5c99676314baf4bb1b7fa3190b2edc0327797f241067be390c9e
        10321da079ce07e272d8ec09d2565b0dfa7dccdde6787f96d50af36003b14866f69b771f8c285decca67df3f1605fb7b
        6e08c248e260e70bd1e962381edee3d31d79d7e22c837bc23c0bf1bc24c6b68c24b1b80b64d391fa9c8ba2e8ba2d229
        """,
        """
        8ca8d548cff19ae18b2e62f4bd3fa6f01d5ef4ba35b48ba9c9588617fc8ac62b558d681be343df8993cf9fa40d21b1c
        12561a5deb559c4348b4711298e536367041e8ca0cf0800c0126c2588c48bf5713daa8846cb026e9e5c8276ec82b3bff
        b2962fe57a3225e8137e629bff2991f6f89416f5a718cd1fca64e00b11aceacd6a3d0967c94fedcfcc239ba5cb83e19
        3425581a58ae2fec83aafef7c40eb545b08243f16b1655154cca8abc28d6fd04976d5243eecf5c4130de8938dc62cd8
        13a8e162022914a80a6f1d5f43e7a07dffdfc759a12062bb8d6b44e833b306da9bd29ba81f35781d539d395b3532a21e
        e7355f8e4e667b955390f7f0506c6e9395735e9ce9cad4d0a43bcef24b8982f7400d24bc4228f11c02df9a29f6304a5
        772caacf16936190f3e0c63e0596721570f5799af53a1894e2e073062aede9cea73b3538f0de06cec2574496ee84a3a
        14a7ac2a9d64a8b230b3f5b074cf01996e7f63c21bca68a81996e1cdf9822c580fa5b9489d11e2d311f7d99bbdcc5a5e
        a10ecf6ada54f825e920b3dafc7a3cce07f8d1d7161366b74100da67f39883503826692abba43704776ec3a79a1d641
        95fc13ab9e92ad4476d6e3eb3a56680f682b4ee96f7d03776df533978f31c1593174e4b4b7865002d6384d168ecdd0a
        1
        """,
        """
        90d97c81ba24ee0259d1f094980dcfa11ad138e48a869522b52af6c956543d3cd0c7aee9b3ba3c2be9845719707bb33
        134996a104ee5811d51036d776fb46831223e96c254f383d0f906343eb67ad34d6c56711962fa8bfe097e75a2e41c696
        cc786baa966e66f4a384c86a3b49942552e2d658a31ce2c344be4b91400da7d26d521628b00523b8dfe240c72de1f6
        1f86376e8981c217898751ad8746757d42aa7b90eeb791c09e4a3ec03251cf9de405aba9ec61deca6355c77b0e5f4cb
        8cc03fdefe0ff135caf4fe2a21529c4195536fbe3ce50b879833fd221351adc2ee7f8dc099040a841b6daecf2e8fedb
        16603fca40634b6a2211e11db8f0a6a074a7d0d4afadb7bd76505c3d3ad5544e203f6326c95a807299b23ab13633a5f0
        4ab0b9bcfac1bbcb2c977d027796b3ce75bb8ca2be184cb5231413c4d634f3747a87ac2460f415ec961f8855fe9d6f2
        987c8d5333ab86fde9926bd2ca6c674170a05bfe3bdd81ffd038da6c26c842642f64550fedfe935a15e4ca31870fb29
        9fc4018bd96684be88c9e221e4da1bb8f3abd16679dc26c1e8b6e6a1f20cabe69d65201c78607a360370e577bdba587
        e1bba7a1186bdb5223abde7ada14a23c42a0ca7915af6fe06985e7ed1e4d43b9b3f7055dd4eba6f2bafaaebca731c30
        19713e47937cd1be0dfd0b8f1d43fb93cd2fcbcb6caf493fd1183e416389e61031bf3a5cce3fbafce813711ad011c132
        18b46a908f36f6deb918c143fed2edcc523559b8aaf0c2462e6bfe7f911f643249d9cdf41b44d606ce07c8a4d0074d8e
        b182cac101b9399d155096004f53f447aa7b12a3426b08ec02710e807b4633f06c851c1919211f20d4c04f00b971ef8
        245a394ad1eca9b72fc00ae7be315dc757b3b080d4c158013e6632d3c40659cc6cf90ad1c232a6442d9d3f5db980133
        5c129645e44cf1102a159f748c4a3fc5e673d81d7e86568d9ab0f5d396a7ce46ba1049b6579afb7866b1e715475224b
        15e6be4e990f03ce4ea50b3b42df2eb5cb181d8f84965a3957add4fa95af01b2b665027efec01c7704b456be69c8b604
        """,
        """
        16112c4c3a9c98b252181140fad0eae9601a6de578980be6eec3232b5be72e7a07f3688ef60c206d01479253b03663c1
        1962d75c2381201e1a0cbd6c43c348b885c84ff731c4d59ca4a10356f453e01f78a4260763529e3532f6102c2e49a03d
        58df3306640da276faaae7d6e8eb15778c4855551ae7f310c35a5dd279cd2eca6757cd636f96f891e2538b53dbf67f2
        16b7d288798e5395f20d23bf89edb4d1d115c5dbddbcd30e123da489e726af41727364f2c28297ada8d26d98445f5416
        be0e079545f43e4b00cc912f8228ddcc6d19c9f0f69bbb0542eda0fc9dec916a20b15dc0fd2ededda39142311a5001d
        8d9e5297186db2d9fb266eaac783182b70152c65550d881c5ecd87b6f0f5a6449f38db9dfa9cce202c6477faaf9b7ac
        166007c08a99db2fc3ba8734ace9824b5eecfdfa8d0cf8ef5dd365bc400a0051d5fa9c01a58b1fb93d1a1399126a775c
        16a3ef08be3ea7ea03bcddfabba6ff6ee5a4375efa1f4fd7feb34fd206357132b920f5b00801dee460ee415a15812ed9
        1866c8ed336c61231a1be54fd1d74cc4f9fb0ce4c6af5920abc5750c4bf39b4852cfe2f7bb9248836b233d9d55535d4a
        167a55cda70a6e1cea820597d94a84903216f763e13d87bb5308592e7ea7d4fbc7385ea3d529b35e346ef48bb8913f55
        4d2f259eea405bd48f010a01ad2911d9c6dd039bb61a6290e591b36e636a5c871a5c29f4f83060400f8b49cba8f6aa8
        accbb67481d033ff5852c1e48c50c477f94ff8aefce42d28c0f9a88cea7913516f968986f7ebbea9684b529e2561092
        ad6b9514c767fe3c3613144b45f1496543346d98adf02267d5ceef9a00d9b8693000763e3b90ac11e99b138573345cc
        2660400eb2e4f3b628bdd0d53cd76f2bf565b94e72927c1cb748df27942480e420517bd8714cc80d1fadc1326ed06f7
        e0fa1d816ddc03e6b24255e0d7819c171c40f65e273b853324efcd6356caa205ca2f570f13497804415473a1d634b8f
        1
        """,
    )
]


class Fp2:
    """a + b*u with u^2 = -1."""

    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a % BLS_P, b % BLS_P

    def __add__(self, o):
        return Fp2(self.a + o.a, self.b + o.b)

    def __sub__(self, o):
        return Fp2(self.a - o.a, self.b - o.b)

    def __mul__(self, o):
        return Fp2(self.a * o.a - self.b * o.b, self.a * o.b + self.b * o.a)

    def __eq__(self, o):
        return self.a == o.a and self.b == o.b

    def times(self, n):
        return Fp2(self.a * n, self.b * n)

    def inverse(self):
        n = pow(self.a * self.a + self.b * self.b, -1, BLS_P)
        return Fp2(self.a * n, -self.b * n)

    def is_zero(self):
        return self.a == 0 and self.b == 0

    def root(self):
        """A square root, or None."""
        if self.b == 0:
            r = _fp_root(self.a)
            return Fp2(r, 0) if r is not None else Fp2(0, _fp_root(-self.a))
        norm = _fp_root(self.a * self.a + self.b * self.b)
        if norm is None:
            return None
        half = pow(2, -1, BLS_P)
        for n in (norm, -norm):
            x = _fp_root((self.a + n) * half)
            if x:
                return Fp2(x, self.b * pow(2 * x, -1, BLS_P))
        return None


def _fp_root(n):
    n %= BLS_P
    r = pow(n, (BLS_P + 1) // 4, BLS_P)
    return r if r * r % BLS_P == n else None


def _add_points(p, q, slope_of_double):
    """The sum of two affine points (None is infinity) of y^2 = x^3 + b over a field with operators."""
    if p is None or q is None:
        return q if p is None else p
    if p[0] == q[0]:
        if not p[1] == q[1]:
            return None
        slope = slope_of_double(p)
    else:
        slope = (q[1] - p[1]) * _inverse(q[0] - p[0])
    x = slope * slope - p[0] - q[0]
    y = slope * (p[0] - x) - p[1]
    return (x % BLS_P, y % BLS_P) if isinstance(x, int) else (x, y)


def _inverse(n):
    return pow(n, -1, BLS_P) if isinstance(n, int) else n.inverse()


def _double_slope(p):
    x, y = p
    return 3 * x * x * pow(2 * y, -1, BLS_P) if isinstance(x, int) else (x * x).times(3) * y.times(2).inverse()


def _times(n, point):
    total = None
    for bit in bin(n)[2:]:
        total = total if total is None else _add_points(total, total, _double_slope)
        if bit == "1":
            total = _add_points(total, point, _double_slope)
    return total


def _g1(data):
    """A point of the group G1 in its compressed form of 48 bytes; None for anything else."""
    if len(data) != 48 or data[0] & 0xE0 not in (0x80, 0xA0):
        return None
    x = int.from_bytes(bytes([data[0] & 0x1F]) + data[1:], "big")
    y = _fp_root(x * x * x + 4) if x < BLS_P else None
    if y is None:
        return None
    point = (x, y if (y > BLS_P - y) == bool(data[0] & 0x20) else BLS_P - y)
    return point if _times(BLS_R, point) is None else None


def _g2(data):
    """A point of the group G2 in its compressed form of 96 bytes; None for anything else."""
    if len(data) != 96 or data[0] & 0xE0 not in (0x80, 0xA0):
        return None
    b, a = int.from_bytes(bytes([data[0] & 0x1F]) + data[1:48], "big"), int.from_bytes(data[48:], "big")
    x = Fp2(a, b)
    y = (x * x * x + Fp2(4, 4)).root() if a < BLS_P and b < BLS_P else None
    if y is None:
        return None
    minus = Fp2(0, 0) - y
    point = (x, y if ((y.b, y.a) > (minus.b, minus.a)) == bool(data[0] & 0x20) else minus)
    return point if _times(BLS_R, point) is None else None


def _expand(message, tag, size):
    """expand_message_xmd of RFC 9380, 5.3.1, with SHA-256."""
    tag = tag + bytes([len(tag)])
    first = sha256(bytes(64), message, size.to_bytes(2, "big"), b"\x00", tag)
    block = sha256(first, b"\x01", tag)
    out = block
    for i in range(2, -(-size // 32) + 1):
        block = sha256(bytes(a ^ b for a, b in zip(first, block)), bytes([i]), tag)
        out += block
    return out[:size]


def _map_to_curve(u):
    """The simplified SWU map to the isogenous curve (RFC 9380, 6.6.2), then the isogeny."""
    zu2 = 11 * u * u % BLS_P
    t = (zu2 * zu2 + zu2) % BLS_P
    if t:
        x = -SSWU_B * pow(SSWU_A, -1, BLS_P) * (1 + pow(t, -1, BLS_P)) % BLS_P
    else:
        x = SSWU_B * pow(11 * SSWU_A, -1, BLS_P) % BLS_P
    y = _fp_root(x * x * x + SSWU_A * x + SSWU_B)
    if y is None:
        x = zu2 * x % BLS_P
        y = _fp_root(x * x * x + SSWU_A * x + SSWU_B)
    if y & 1 != u & 1:
        y = BLS_P - y
    values = []
    for coefficients in ISOGENY:
        value = 0
        for c in reversed(coefficients):
            value = (value * x + c) % BLS_P
        values.append(value)
    if values[1] == 0 or values[3] == 0:
        return None
    return values[0] * pow(values[1], -1, BLS_P) % BLS_P, y * values[2] * pow(values[3], -1, BLS_P) % BLS_P


def hash_to_g1(message, tag=BLS_TAG):
    data = _expand(message, tag, 128)
    u = [int.from_bytes(data[i : i + 64], "big") % BLS_P for i in (0, 64)]
    return _times(BLS_X + 1, _add_points(_map_to_curve(u[0]), _map_to_curve(u[1]), _double_slope))


def _times12(f, g):
    """Product in Fp12 = Fp2[w] / (w^6 - (1 + u)): six pairs, lowest power of w first."""
    low = [[0, 0] for _ in range(11)]
    for i, (a, b) in enumerate(f):
        for j, (c, d) in enumerate(g):
            if c or d:
                cell = low[i + j]
                cell[0] += a * c - b * d
                cell[1] += a * d + b * c
    for i in range(6, 11):
        a, b = low[i]
        low[i - 6][0] += a - b
        low[i - 6][1] += a + b
    return [(a % BLS_P, b % BLS_P) for a, b in low[:6]]


def _miller(pairs):
    """The product of the Miller loops of (point of G1, point of G2), up to factors that the final power removes."""
    f = [(1, 0)] + [(0, 0)] * 5
    sums = [q for _, q in pairs]

    def line(i, other, slope, f):
        (px, py), (x, y) = pairs[i][0], sums[i]
        at0, at2 = slope * x - y, slope.times(-px)
        f = _times12(f, [(at0.a, at0.b), (0, 0), (at2.a, at2.b), (py, 0), (0, 0), (0, 0)])
        sums[i] = _add_points(sums[i], other, lambda _: slope)
        return f

    for bit in bin(BLS_X)[3:]:
        f = _times12(f, f)
        for i in range(len(pairs)):
            f = line(i, sums[i], _double_slope(sums[i]), f)
        if bit == "1":
            for i, (_, q) in enumerate(pairs):
                f = line(i, q, (q[1] - sums[i][1]) * (q[0] - sums[i][0]).inverse(), f)
    return f


def bls_holds(public_key, message, signature, tag=BLS_TAG):
    """Whether the signature in G1 is the one of this key in G2."""
    s, key = _g1(signature), _g2(public_key)
    if s is None or key is None:
        return False
    hashed = hash_to_g1(message, tag)
    if hashed is None:
        return False
    base = tuple(Fp2(*c) for c in G2_BASE)
    f = _miller([((s[0], BLS_P - s[1]), base), (hashed, key)])
    # The pairing is one exactly when f^((p^6-1)k) = 1, that is, when f^k lies in Fp6: no odd powers of w.
    k = (BLS_P**2 + 1) * ((BLS_P**4 - BLS_P**2 + 1) // BLS_R)
    power = f
    for bit in bin(k)[3:]:
        power = _times12(power, power)
        if bit == "1":
            power = _times12(power, f)
    return all(power[i] == (0, 0) for i in (1, 3, 5))

# --- Signed notes and proofs (C2SP) ----------------------------------------------------------------------------------


class Key:
    """A verifier key: `<name>+<key id>+<base64 of type and public key>`."""

    def __init__(self, name, kind, public):
        self.name, self.kind, self.public = name, kind, public
        self.id = sha256(name.encode("utf-8"), b"\n", bytes([kind]), public)[:4]

    @staticmethod
    def parse(text, kind):
        parts = text.split("+", 2) if type(text) is str else []
        if len(parts) != 3 or not is_key_name(parts[0]):
            raise Malformed("verifier key")
        data = unbase64(parts[2], 33)
        key = Key(parts[0], data[0], data[1:])
        if key.kind != kind or key.id.hex() != parts[1]:
            raise Malformed("verifier key")
        return key


def is_key_name(name):
    """No plus sign, no control character and no white space, spelled out because programming languages differ in what they call white space."""
    return re.fullmatch("[^+\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]{1,200}", name)


def parse_note(data):
    """The text of a signed note, and its signature lines as (name, key id, signature)."""
    text = text_of(data)
    cut = text.rfind("\n\n")
    if cut < 0 or not text.endswith("\n"):
        raise Malformed("note")
    lines = text[cut + 2 : -1].split("\n")
    if len(lines) > 64:
        raise Malformed("signatures")
    signatures = []
    for line in lines:
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "\u2014" or not is_key_name(parts[1]):
            raise Malformed("signature line")
        signature = unbase64(parts[2])
        if len(signature) < 5:
            raise Malformed("signature line")
        signatures.append((parts[1], signature[:4], signature[4:]))
    return text[: cut + 1], signatures


def open_note(data, key, witnesses=(), wrong="bad_signature"):
    """The text of a note signed by the key, and for each witness the times of its cosignatures; `wrong` is the code for a wrong signature."""
    text, signatures = step("malformed_note", parse_note, data)
    signed, times = False, {}
    for name, key_id, signature in signatures:
        if (name, key_id) == (key.name, key.id):
            signed = ed25519_holds(key.public, text.encode("utf-8"), signature)
            if not signed:
                raise Refused(wrong, name)
        for witness in witnesses:
            if (name, key_id) == (witness.name, witness.id):
                time = int.from_bytes(signature[:8], "big")
                message = "cosignature/v1\ntime %d\n%s" % (time, text)
                if len(signature) != 72 or not ed25519_holds(witness.public, message.encode("utf-8"), signature[8:]):
                    raise Refused("bad_signature", name)
                times.setdefault(witness.name, []).append(time)
    if not signed:
        raise Refused(wrong, key.name)
    return text, times


def parse_checkpoint(text):
    lines = text.split("\n")
    if len(lines) != 4 or not lines[0]:
        raise Malformed("checkpoint")
    return lines[0], whole_number(lines[1]), unbase64(lines[2], 32)


def open_checkpoint(data, key, witnesses=()):
    """Size, root and cosignature times of a checkpoint whose origin is the name of the key."""
    parsed = step("malformed_note", lambda: parse_checkpoint(parse_note(data)[0]))
    if parsed[0] != key.name:
        raise Refused("bad_signature", parsed[0])
    _, times = open_note(data, key, witnesses)
    return parsed[1], parsed[2], times


def parse_proof(data):
    """Extra data, index, hashes and checkpoint of a `.tlog-proof` file."""
    head, gap, checkpoint = data.partition(b"\n\n")
    lines = text_of(head).split("\n")
    if not gap or lines.pop(0) != "c2sp.org/tlog-proof@v1":
        raise Malformed("proof")
    extra = unbase64(lines.pop(0)[6:]) if lines and lines[0].startswith("extra ") else None
    if not lines or not lines[0].startswith("index ") or len(lines) > 64:
        raise Malformed("proof")
    return extra, whole_number(lines[0][6:]), [unbase64(line, 32) for line in lines[1:]], checkpoint


def quorum_by(times, quorum, accept):
    return sum(any(accept(t) for t in seen) for seen in times.values()) >= quorum


# --- Files: a tar file, or an address --------------------------------------------------------------------------------


def is_path(path):
    """A relative path that stays in its folder: visible ASCII characters, no part that is empty, `.` or `..`."""
    return re.fullmatch("[!-~]{1,200}", path) and not {"", ".", ".."} & set(path.split("/"))


class TarFiles:
    """The regular files of a ustar file."""

    def __init__(self, path):
        try:
            self.file = open(path, "rb")
            self.size = os.path.getsize(path)
        except OSError as e:
            raise Refused("unreachable", e.strerror) from None
        self.places = step("malformed_bundle", self._index)

    def _index(self):
        places, at = {}, 0
        while True:
            self.file.seek(at)
            header = self.file.read(512)
            if len(header) != 512:
                raise Malformed("tar")
            if not any(header):
                return places
            total = sum(header) - sum(header[148:156]) + 8 * 32
            if header[257:262] != b"ustar" or header[148:156] != b"%06o\0 " % total or header[156:157] not in (b"0", b"\0"):
                raise Malformed("tar header")
            name, prefix = (header[a:b].split(b"\0")[0].decode("ascii") for a, b in ((0, 100), (345, 500)))
            path, size = prefix + "/" + name if prefix else name, self._octal(header[124:136])
            if not is_path(path) or path in places or at + 512 + size > self.size:
                raise Malformed("tar entry")
            places[path] = (at + 512, size)
            at += 512 + -(-size // 512) * 512

    @staticmethod
    def _octal(field):
        digits = re.fullmatch(rb" *([0-7]{1,12}) *", field.split(b"\0")[0])
        if not digits:
            raise Malformed("tar number")
        return int(digits.group(1), 8)

    def read(self, path):
        if path not in self.places:
            raise Refused("missing_file", path)
        at, size = self.places[path]
        self.file.seek(at)
        return self.file.read(size)

    def draw_bundle(self):
        return self.read("bundle")

    def close(self):
        self.file.close()


class WebFiles:
    """The files below the address of a draw, https://shop.example/draws/<draw>, or a room, https://shop.example/q/<room>."""

    def __init__(self, address):
        self.address = address.rstrip("/")
        self.root = re.sub("/(draws|q)/[^/]*$", "", self.address)

    def read(self, path):
        return fetch(self.root + "/" + path)

    def draw_bundle(self):
        return fetch(self.address + "/bundle")

    def close(self):
        pass


def fetch(address, into=None, progress=None):
    """The content of a file, or None if it was written. In a thread of its own: the time limit of a socket does not stop a server
    that sends a byte now and then."""
    seconds, outcome = BUNDLE_SECONDS if into else FILE_SECONDS, []

    def run():
        try:
            outcome.append((download(address, into, progress), None))
        except Refused as e:
            outcome.append((None, e))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise Refused("unreachable", "%s is not complete after %s s" % (address, seconds))
    content, refused = outcome[0]
    if refused:
        raise refused
    return content


def download(address, into, progress):
    request = urllib.request.Request(address, headers={"User-Agent": "verify_draw.py"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            if into is None:
                data = response.read(MAX_FILE + 1)
                if len(data) > MAX_FILE:
                    raise Refused("malformed_bundle", address)
                return data
            done = 0
            while True:
                part = response.read(1 << 20)
                if not part:
                    return None
                done += len(part)
                if done > MAX_BUNDLE:
                    raise Refused("malformed_bundle", address)
                into.write(part)
                progress("download", done, int(response.headers.get("content-length") or 0))
    except urllib.error.HTTPError as e:
        raise Refused("missing_file" if e.code == 404 else "unreachable", "%d %s" % (e.code, address)) from None
    except (OSError, http.client.HTTPException, ValueError) as e:
        raise Refused("unreachable", "%s: %s" % (address, e)) from None


# --- Rules, chain and leaves -----------------------------------------------------------------------------------------


def canonical(value):
    """RFC 8785 for objects whose numbers are whole and not negative."""
    if type(value) is dict:
        keys = sorted(value, key=lambda k: k.encode("utf-16-be"))
        return "{" + ",".join(canonical(k) + ":" + canonical(value[k]) for k in keys) + "}"
    if type(value) is list:
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if type(value) is int and not 0 <= value <= MAX_NUMBER or type(value) is float:
        raise Malformed("number in JSON")
    return json.dumps(value, ensure_ascii=False)


def in_range(kind):
    """Reads a number of JSON as JavaScript does: 1.0 is 1, and beyond 2^53 - 1 there are none."""

    def read(text):
        number = kind(text)
        if not -MAX_NUMBER <= number <= MAX_NUMBER:
            raise Malformed("number in JSON")
        return int(number) if number == int(number) else number

    return read


def without_repeats(members):
    """An object of JSON, in which no name occurs twice."""
    found = dict(members)
    if len(found) < len(members):
        raise Malformed("repeated name in JSON")
    return found


def check_json(value, levels=32):
    """Texts without U+0000 and unpaired surrogates, and few levels."""
    if type(value) is str and re.search("[\0\ud800-\udfff]", value) or type(value) in (dict, list) and levels == 0:
        raise Malformed("text or levels in JSON")
    if type(value) is dict:
        check_json(list(value), levels)
    if type(value) in (dict, list):
        for item in value.values() if type(value) is dict else value:
            check_json(item, levels - 1)


def parse_json(data):
    whole, other = in_range(int), in_range(float)
    text = data.decode("utf-8")
    value = json.loads(text, parse_int=whole, parse_float=other, parse_constant=other, object_pairs_hook=without_repeats)
    if type(value) is not dict:
        raise Malformed("JSON object")
    check_json(value)
    return value


class Rules:
    def __init__(self, data, log_key=None):
        value = parse_json(data)
        if len(data) > 60_000 or canonical(value).encode("utf-8") != data:
            raise Malformed("not canonical")
        self.hash = sha256(b"fairgate-rules/1\n", data)
        self.value = value
        self.draw = self._text("draw", r"[a-z0-9][a-z0-9-]{0,39}")
        self.product = value["product"] if type(value.get("product")) is str else None
        self.stock = self._number("stock")
        self.open = self._number("open") if "open" in value else None
        self.close, self.seal_by = self._number("close"), self._number("seal_by")
        self.chain, self.round = self._text("beacon", "[0-9a-f]{64}"), self._number("round", 1)
        self.rounds = [self.round] + self._list("fallback_rounds", int, 100)
        if value.get("order") != "lots/1" or any(a >= b for a, b in zip(self.rounds, self.rounds[1:])):
            raise Malformed("order or rounds")
        self.second = self._second_beacon() if "second_beacon" in value else None
        self.witnesses = [Key.parse(text, 4) for text in self._list("witnesses", str, 32)]
        keys = [key.public for key in [*self.witnesses, log_key] if key]
        if len(set(keys)) != len(keys):
            raise Malformed("witnesses")
        self.quorum = self._number("quorum", 0, 0)
        if self.quorum > len(self.witnesses):
            raise Malformed("quorum")
        holdbacks = value.get("holdbacks", {})
        if type(holdbacks) is not dict or any(type(n) is not int for n in holdbacks.values()):
            raise Malformed("holdbacks")
        self.holdbacks = sum(holdbacks.values())
        self.qty_max, self.tiers = self._number("qty_max", 1, 1), self._number("tiers", 1, 1)
        self.fit = value.get("fit", "stop")
        self.until = self._number("allocate_until") if "allocate_until" in value else None
        audit = value.get("audit", 0)
        if type(audit) is dict:
            if type(audit.get("auditor", "")) is not str:
                raise Malformed("audit")
            audit = audit.get("k")
        if type(audit) is not int or audit > MAX_INT or self.tiers > 1000 or self.fit not in ("stop", "skip") or self.holdbacks > self.stock:
            raise Malformed("audit, tiers, fit or holdbacks")
        if not (self.open is None or self.open < self.close) or self.close > self.seal_by:
            raise Malformed("times")

    def _second_beacon(self):
        """The chain and the round that decide when the rounds of the first chain are given up."""
        found = self.value["second_beacon"]
        if type(found) is not dict or set(found) != {"beacon", "round"}:
            raise Malformed("second_beacon")
        chain, number = found["beacon"], found["round"]
        if type(chain) is not str or not re.fullmatch("[0-9a-f]{64}", chain) or chain == self.chain:
            raise Malformed("chain of second_beacon")
        if type(number) is not int or number < 1:
            raise Malformed("round of second_beacon")
        return chain, number

    def _number(self, name, least=0, default=None):
        number = self.value.get(name, default)
        if type(number) is not int or number < least:
            raise Malformed(name)
        return number

    def _text(self, name, pattern):
        text = self.value.get(name)
        if type(text) is not str or not re.fullmatch(pattern, text):
            raise Malformed(name)
        return text

    def _list(self, name, kind, most):
        found = self.value.get(name, [])
        if type(found) is not list or len(found) > most or any(type(item) is not kind for item in found):
            raise Malformed(name)
        return found


def parse_chain(data):
    value = parse_json(data)
    texts = {name: value.get(name) for name in ("public_key", "hash", "groupHash")}
    if not all(type(t) is str and re.fullmatch("([0-9a-f]{2})*", t) for t in texts.values()):
        raise Malformed("chain")
    metadata = value.get("metadata")
    beacon_id = metadata.get("beaconID", "") if type(metadata) is dict else ""
    period, genesis = value.get("period"), value.get("genesis_time")
    if type(period) is not int or not 0 < period <= 86_400 or type(genesis) is not int or genesis < 1:
        raise Malformed("chain")
    if value.get("schemeID") != "bls-unchained-g1-rfc9380" or type(beacon_id) is not str:
        raise Malformed("chain")
    key = bytes.fromhex(texts["public_key"])
    named = beacon_id.encode("utf-8") if beacon_id != "default" else b""
    group = bytes.fromhex(texts["groupHash"])
    if len(key) != 96 or sha256(struct.pack(">IQ", period, genesis), key, group, named).hex() != texts["hash"]:
        raise Malformed("hash of the chain")
    return {"hash": texts["hash"], "public_key": key, "genesis": genesis, "period": period}


def clock():
    return time.time()


def time_of(chain, number):
    return chain["genesis"] + (number - 1) * chain["period"]


def classes(text):
    names = text.split(",")
    if text != "none" and (names != sorted(set(names)) or not set(names) <= set(CLASSES)):
        raise Malformed("class")
    return names


def matching(pattern):
    compiled = re.compile(pattern, re.ASCII)

    def check(text):
        if not compiled.fullmatch(text):
            raise Malformed("word")
        return text

    return check


def positive_number(text):
    number = whole_number(text)
    if number < 1:
        raise Malformed("number")
    return number


def tickets(text):
    number = positive_number(text)
    if number > MAX_INT:
        raise Malformed("tickets")
    return number


KINDS = {
    "id": matching("[a-z0-9][a-z0-9-]{0,39}"),
    "word": matching("[a-z][a-z0-9_]{0,31}"),
    "chain": matching("[0-9a-f]{64}"),
    "number": whole_number,
    "positive": positive_number,
    "tickets": tickets,
    "hash": lambda text: unbase64(text, 32),
    "signature": lambda text: unbase64(text, 48),
    "order": matching("swap-or-not-90/1"),
    "tag": lambda text: unbase64(text, 16),
    "classes": classes,
}
# The lines behind the first one: a name and the kinds of its values. A line with a question mark may be absent.
ENTRY = ["draw id", "who hash", "key hash", "class classes", "?uniq tag", "?qty number", "?tier number"]
PROMISE = ["draw id", "leaf hash", "by number"]
LEAVES = {
    "head": ["draw id", "size number", "root hash"],
    "seal": ["draw id", "rules hash", "size number", "root hash", "beacon chain positive", "?excluded positive hash"],
    "beacon": ["draw id", "beacon chain positive", "signature signature"],
    "exclude": ["draw id", "entry number hash", "reason word"],
    "withdraw": ["draw id", "entry number hash", "reason word"],
    "result": ["draw id", "seal hash", "beacon chain positive", "size number", "root hash"],
    "pass": ["draw id", "rank number", "entry hash", "units number", "reason word"],
    "abort": ["draw id", "?round number", "reason word"],
    "report": ["draw id", "result hash", "stock number", "holdbacks number", "issued number", "passed number"]
    + ["unsold number", "allotments number hash"],
}


# The code for a receipt that is damaged, or not signed by this draw's key. It proves nothing, so it accuses nobody.
UNUSABLE = "unusable_receipt"
# Leaves of entries that take no part.
ABSENCES = {"exclude": "excluded", "withdraw": "withdrawn"}
ROOM_LEAVES = {
    "seal": ["room id", "epoch number", "tickets tickets", "order order", "beacon chain positive"],
    "result": ["room id", "epoch number", "seal hash", "beacon chain positive", "signature signature", "seed hash"],
}


def parse_lines(title, form, text):
    """The values of a text of lines, by name; a tuple where a line has two."""
    lines = text.split("\n")
    if lines.pop() != "" or not lines or lines.pop(0) != title:
        raise Malformed(title)
    values, at = {}, 0
    for spec in form:
        name, *kinds = spec.lstrip("?").split(" ")
        words = lines[at].split(" ") if at < len(lines) else [""]
        if words[0] == name and len(words) == len(kinds) + 1:
            found = [KINDS[kind](word) for kind, word in zip(kinds, words[1:])]
            values[name] = found[0] if len(found) == 1 else tuple(found)
            at += 1
        elif spec[0] == "?":
            values[name] = None
        else:
            raise Malformed(name)
    if at != len(lines):
        raise Malformed(title)
    return values


def parse_entry(data):
    values = parse_lines("fairgate-entry/1", ENTRY, text_of(data))
    if values["qty"] is not None and values["qty"] < 2 or values["tier"] == 0:
        raise Malformed("entry")
    values["qty"], values["tier"] = values["qty"] or 1, values["tier"] or 0
    return values


class Leaf:
    """A leaf of the house log that belongs to draws."""

    def __init__(self, at, data):
        first = data.partition(b"\n")[0]
        match = re.fullmatch(rb"fairgate-([a-z]+)/1\r?", first)
        self.at, self.data, self.hash = at, data, leaf_hash(data)
        self.kind = match.group(1).decode("ascii") if match else ""
        if self.kind == "rules":
            if first.endswith(b"\r"):
                raise Malformed("line end")
            rules = Rules(data[len(first) + 1 :])
            self.draw, self.product = rules.draw, rules.product
        elif self.kind in LEAVES:
            self.values = parse_lines(first.decode("ascii"), LEAVES[self.kind], text_of(data))
            self.draw = self.values["draw"]
        else:
            self.kind = self.draw = ""


class RoomLeaf:
    """A leaf of the house log about the draw of a waiting room; its kind is empty when it is none."""

    def __init__(self, at, data):
        match = re.match(rb"fairgate-room-(seal|result)/1", data)
        self.at, self.hash, self.kind, self.values = at, leaf_hash(data), "", {"room": ""}
        if not match:
            return
        self.kind = match.group(1).decode("ascii")
        text, self.quorum, self.witnesses = text_of(data), 0, []
        named = re.fullmatch("([^\0]*\n)witnesses ([^\n]*)\n", text) if self.kind == "seal" else None
        if named:
            needed, *keys = named.group(2).split(" ")
            text, self.quorum = named.group(1), positive_number(needed)
            self.witnesses = [Key.parse(key, 4) for key in keys]
            if self.quorum > len(keys) or len(set(keys)) < len(keys) or len(keys) > 32:
                raise Malformed("witnesses")
        self.values = parse_lines("fairgate-room-%s/1" % self.kind, ROOM_LEAVES[self.kind], text)


# --- Trees from files (C2SP tlog-tiles) ------------------------------------------------------------------------------


def tile_path(folder, level, number, width):
    groups = ["%03d" % (number % 1000)]
    while number >= 1000:
        number //= 1000
        groups.insert(0, "x%03d" % (number % 1000))
    return "%s/tile/%s/%s%s" % (folder, level, "/".join(groups), "" if width == 256 else ".p/%d" % width)


def read_entries(files, folder, size, progress):
    """The data of all leaves of a tree."""
    if size > MAX_LEAVES:
        raise Refused("malformed_log", "%d leaves" % size)
    for first in range(0, size, 256):
        width = min(256, size - first)
        data = files.read(tile_path(folder, "entries", first >> 8, width))
        at = 0
        for _ in range(width):
            length = int.from_bytes(data[at : at + 2], "big")
            if at + 2 + length > len(data):
                raise Refused("malformed_log", "entry bundle %d" % (first >> 8))
            yield data[at + 2 : at + 2 + length]
            at += 2 + length
        if at != len(data):
            raise Refused("malformed_log", "entry bundle %d" % (first >> 8))
        progress("read", first + width, size)


class Tree:
    """The hashes of all complete subtrees, for the root of every prefix."""

    def __init__(self, leaves):
        self.levels = [leaves]
        while len(self.levels[-1]) > 1:
            below = self.levels[-1]
            self.levels.append([node_hash(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)])

    def root(self, size):
        total = None if size else sha256()
        for level, hashes in enumerate(self.levels):
            if size >> level & 1:
                left = hashes[(size >> level) - 1]
                total = left if total is None else node_hash(left, total)
        return total


class Tiles:
    """A tree of which only the hash tiles that a proof needs are read."""

    def __init__(self, files, folder, size):
        self.files, self.folder, self.size, self.known = files, folder, size, {}

    def _complete(self, height, index):
        level, within = divmod(height, 8)
        count = 1 << within
        tile, first = divmod(index * count, 256)
        if (level, tile) not in self.known:
            width = min(256, (self.size >> 8 * level) - 256 * tile)
            data = self.files.read(tile_path(self.folder, level, tile, width))
            if len(data) != 32 * width:
                raise Refused("malformed_log", "tile")
            self.known[level, tile] = data
        data = self.known[level, tile]
        return tree_root([data[32 * i : 32 * i + 32] for i in range(first, first + count)])

    def root(self, start, end):
        width = end - start
        if width & width - 1 == 0 and start % width == 0:
            return self._complete(width.bit_length() - 1, start // width)
        middle = start + (1 << (width - 1).bit_length() - 1)
        return node_hash(self.root(start, middle), self.root(middle, end))

    def inclusion(self, index, start, end):
        if end - start == 1:
            return []
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        if index < middle:
            return self.inclusion(index, start, middle) + [self.root(middle, end)]
        return self.inclusion(index, middle, end) + [self.root(start, middle)]

    def consistency(self, size, start, end, whole=True):
        if size == end:
            return [] if whole else [self.root(start, end)]
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        if size <= middle:
            return self.consistency(size, start, middle, whole) + [self.root(middle, end)]
        return self.consistency(size, middle, end, False) + [self.root(start, middle)]


def consistency_holds(first, second, first_root, second_root, proof):
    """RFC 9162, 2.1.4.2, for 0 < first <= second."""
    if first == second:
        return not proof and first_root == second_root
    proof = ([first_root] if first & first - 1 == 0 else []) + proof
    if not proof:
        return False
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = proof[0]
    for c in proof[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node_hash(c, fr), node_hash(c, sr)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node_hash(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return fr == first_root and sr == second_root and sn == 0


# --- Lots ------------------------------------------------------------------------------------------------------------


def seed_of(seal_hash, signature):
    return sha256(b"fairgate-seed/1\n", seal_hash, sha256(signature))


def lot_of(seed, entry_hash):
    return hmac.digest(seed, b"\x01" + entry_hash, "sha256")


def shuffled(seed, label, count):
    """The order of seats: Fisher-Yates with numbers below a bound, without bias."""
    numbers, counter, order = [], 0, list(range(count))
    for i in range(count - 1, 0, -1):
        while True:
            if not numbers:
                numbers = list(struct.unpack(">4Q", hmac.digest(seed, b"\x03" + label + struct.pack(">Q", counter), "sha256")))
                counter += 1
            x = numbers.pop(0)
            if x < 2**64 - 2**64 % (i + 1):
                break
        j = x % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


# --- The checks, in the order of docs/api/draw-format.md ---------------------------------------------------------------


class Check:
    """One draw. `run` makes all checks, `run_light` those that need no list of all entries."""

    def __init__(self, files, options, progress):
        self.files, self.options, self.progress = files, options, progress
        self.verdict = {"code": "ok", "stage": "announced", "draw": None, "size": None, "warnings": []}

    def run(self):
        self._bundle()
        self._house_log()
        self._rules_proof([leaf for leaf in self.leaves if leaf.kind == "rules"][0].hash)
        if self._seal():
            self._entries()
            self._receipt(lambda i: self.hashes[i] if i < len(self.hashes) else None, self._prefix_is)
            self._exclusions()
            if self._beacon():
                self._result()
                self._report()
        else:
            self._unsealed()
        self._still_to_come()

    def _still_to_come(self):
        """Until the beacon decides, a draw may be before its round, shortly after it, or aborted."""
        if any(leaf.values["round"] is None for leaf in self._leaves("abort")):
            if self._leaves("beacon"):
                raise Refused("late_abort", "")
            self.verdict["stage"] = "aborted"
        elif not self._leaves("beacon") and self._is_overdue():
            self.verdict["time"] = time_of(self.chain, self.rules.round)
            raise Refused("withheld", "round %d" % self.rules.round)

    def _is_overdue(self):
        return clock() >= time_of(self.chain, self.rules.round) + GRACE_SECONDS

    def _without_beacon(self):
        """Only the log tells whether a draw without a beacon was aborted. It is not read before the round is overdue."""
        if self._is_overdue():
            self.log_note = self.files.read("log/checkpoint")
            self._house_log()
            if self._leaves("beacon"):
                raise Refused("missing_file", "beacon")
            self._still_to_come()

    def _optional(self, name):
        try:
            return self.files.read(self.folder + name)
        except Refused as e:
            if e.code == "missing_file":
                return None
            raise

    def run_light(self):
        self._bundle()
        self.log = None
        self._rules_proof(leaf_hash(b"fairgate-rules/1\n" + self.rules_data))
        data = self._optional("seal")
        if data is None:
            self._unsealed()
            self._without_beacon()
            return
        self._sealed(step("malformed_leaf", Leaf, 0, data))
        self.verdict["warnings"].append("light")
        size, root = self.seal.values["size"], self.seal.values["root"]
        tiles = Tiles(self.files, self.folder + "log", size)

        def hash_at(index):
            leaf = tiles.root(index, index + 1)
            if not inclusion_holds(index, size, leaf, tiles.inclusion(index, 0, size), root):
                raise Refused("forked_list", "hash tiles")
            return leaf

        self._receipt(hash_at, lambda m, r: consistency_holds(m, size, r, root, tiles.consistency(m, 0, size)))
        data = self._optional("beacon")
        if data is None:
            self._without_beacon()
        else:
            self._dice(step("malformed_leaf", Leaf, 0, data), None)

    def _bundle(self):
        def parse(data):
            lines = text_of(data).split("\n")
            if len(lines) != 4 or lines[0] != "fairgate-bundle/1" or not lines[1].startswith("draw ") or lines[3]:
                raise Malformed("bundle")
            key = Key.parse(lines[2][4:], 1)
            if not lines[2].startswith("log ") or not re.fullmatch(".+/log", key.name):
                raise Malformed("bundle")
            return KINDS["id"](lines[1][5:]), key

        self.draw, self.log_key = step("malformed_bundle", parse, self.files.draw_bundle())
        self.verdict["draw"] = self.draw
        if self.options.log_key and self.options.log_key.id != self.log_key.id:
            raise Refused("wrong_log_key", self.log_key.name)
        self.folder = "draws/%s/" % self.draw
        self.entries_key = Key(self.log_key.name[:-3] + "draws/" + self.draw, 1, self.log_key.public)
        self.log_note = None if self.options.light else self.files.read("log/checkpoint")
        self.rules_data = self.files.read(self.folder + "rules.json")
        self.rules_note = self.files.read(self.folder + "rules.tlog-proof")
        self.rules = step("malformed_rules", Rules, self.rules_data, self.log_key)
        if self.rules.draw != self.draw:
            raise Refused("malformed_rules", self.rules.draw)
        self.chain = self._read_chain(self.rules.chain, "chain.json")
        self._accept(self.rules.chain)
        if self.rules.seal_by >= time_of(self.chain, self.rules.round):
            raise Refused("malformed_rules", "seal_by")
        self.second_chain = None
        if self.rules.second:
            chain, number = self.rules.second
            self.second_chain = self._read_chain(chain, "second-chain.json")
            if time_of(self.second_chain, number) < time_of(self.chain, self.rules.round):
                raise Refused("malformed_rules", "second_beacon")
        if self.rules.quorum == 0:
            self.verdict["warnings"].append("no_witness")

    def _read_chain(self, named, name):
        if named == QUICKNET["hash"]:
            return QUICKNET
        chain = step("malformed_chain", parse_chain, self.files.read(self.folder + name))
        if chain["hash"] != named:
            raise Refused("malformed_chain", chain["hash"])
        return chain

    def _accept(self, chain):
        if chain != QUICKNET["hash"] and chain not in self.options.chain:
            raise Refused("unknown_beacon", chain)

    def _house_log(self):
        size, root, self.log_times = open_checkpoint(self.log_note, self.log_key, self.rules.witnesses)
        data = list(read_entries(self.files, "log", size, self.progress))
        self.log = Tree([leaf_hash(d) for d in data])
        self.log_size = size
        if self.log.root(size) != root:
            raise Refused("forked_log", "root")
        leaves = [step("malformed_leaf", Leaf, i, d) for i, d in enumerate(data)]
        self.leaves = [leaf for leaf in leaves if leaf.draw == self.draw]
        rules = self._leaves("rules")
        if len(rules) != 1 or rules[0].data != b"fairgate-rules/1\n" + self.rules_data:
            raise Refused("edited_rules", "%d rules leaves" % len(rules))
        product = self.rules.product
        earlier = [leaf.draw for leaf in leaves[: rules[0].at] if leaf.kind == "rules" and leaf.product == product]
        if product is not None and earlier:
            self.verdict["warnings"].append("earlier_draw")
            self.verdict["earlier"] = earlier

    def _leaves(self, kind):
        return [leaf for leaf in self.leaves if leaf.kind == kind]

    def _proven(self, data, leaf):
        """The cosignature times of the checkpoint to which this proof leads."""
        _, index, hashes, checkpoint = step("malformed_proof", parse_proof, data)
        size, root, times = open_checkpoint(checkpoint, self.log_key, self.rules.witnesses)
        if not inclusion_holds(index, size, leaf, hashes, root):
            raise Refused("bad_proof")
        if self.log and (size > self.log_size or self.log.root(size) != root):
            raise Refused("forked_log", "proof")
        if not quorum_by(times, self.rules.quorum, lambda t: True):
            raise Refused("no_quorum", "%d of %d" % (len(times), self.rules.quorum))
        return times

    def _rules_proof(self, leaf):
        self.times = times = self._proven(self.rules_note, leaf)
        if self.rules.open is not None and not quorum_by(times, self.rules.quorum, lambda t: t <= self.rules.open):
            raise Refused("late_rules")

    def _seal(self):
        seals = self._leaves("seal")
        if not seals:
            return False
        if len(seals) > 1 or seals[0].at < self._leaves("rules")[0].at:
            raise Refused("second_seal")
        self._sealed(seals[0])
        return True

    def _sealed(self, leaf):
        if leaf.kind != "seal" or leaf.draw != self.draw:
            raise Refused("malformed_leaf", "seal")
        values, rules = leaf.values, self.rules
        if values["rules"] != rules.hash:
            raise Refused("edited_rules", "seal")
        if values["beacon"] != (rules.chain, rules.round):
            raise Refused("wrong_round", "seal")
        if self.files.read(self.folder + "seal") != leaf.data:
            raise Refused("bad_proof", "seal")
        times = self._proven(self.files.read(self.folder + "seal.tlog-proof"), leaf.hash)
        limit = time_of(self.chain, rules.round) - SEAL_MARGIN_SECONDS
        if not quorum_by(times, rules.quorum, lambda t: t <= limit):
            raise Refused("late_seal", "limit %d" % limit)
        self.seal = leaf
        self.verdict.update(stage="sealed", size=values["size"])

    def _entries(self):
        sealed, rules = self.seal.values, self.rules
        size, root, _ = open_checkpoint(self.files.read(self.folder + "log/checkpoint"), self.entries_key)
        if size > sealed["size"]:
            raise Refused("entry_after_seal", "%d entries, %d sealed" % (size, sealed["size"]))
        if size < sealed["size"] or root != sealed["root"]:
            raise Refused("forked_list", "checkpoint")
        data = list(read_entries(self.files, self.folder + "log", size, self.progress))
        self.hashes = [leaf_hash(d) for d in data]
        self.tree = Tree(self.hashes)
        if self.tree.root(size) != root:
            raise Refused("forked_list", "root")
        before = 0
        for head in self._leaves("head"):
            if head.at < self.seal.at:
                if not before <= head.values["size"] <= size or self.tree.root(head.values["size"]) != head.values["root"]:
                    raise Refused("forked_list", "head %d" % head.at)
                before = head.values["size"]
        self.entries = []
        for index, d in enumerate(data):
            entry = step("malformed_leaf", parse_entry, d)
            if entry["draw"] != self.draw or entry["qty"] > rules.qty_max or entry["tier"] >= rules.tiers:
                raise Refused("invalid_entry", str(index))
            self.entries.append((entry["qty"], entry["tier"], entry["uniq"], entry["who"]))
            if index % 10_000 == 0:
                self.progress("entries", index, size)

    def _prefix_is(self, size, root):
        return self.tree.root(size) == root

    def _receipt(self, hash_at, prefix_is):
        receipt = self._read_receipt()
        if receipt is None:
            return
        sealed = self.seal.values["size"]
        if is_promise(receipt):
            promise = self._promise(receipt)
            if self.options.light:
                self.verdict["warnings"].append("promise")
            elif promise not in self.hashes:
                raise Refused("dropped_entry", "promise")
            else:
                self.verdict["index"] = self.hashes.index(promise)
            self.mine = promise
            return
        salt, index, hashes, size, root = self._signed_receipt(receipt)
        if size > sealed:
            raise Refused("dropped_entry", "%d entries promised, %d sealed" % (size, sealed))
        is_prefix = prefix_is(size, root)
        # A path that does not lead to the root proves nothing while the sealed list has that root: the
        # receipt is damaged.
        if not inclusion_holds(index, size, hash_at(index), hashes, root):
            raise Refused(UNUSABLE if is_prefix else "dropped_entry", "index %d" % index)
        if not is_prefix:
            raise Refused("forked_list", "receipt")
        self.mine = hash_at(index)
        self.verdict["index"] = index
        if self.options.person is not None:
            width = min(256, sealed - (index & ~255))
            files = self.files.read(tile_path(self.folder + "log", "entries", index >> 8, width))
            at = 0
            for _ in range(index & 255):
                at += 2 + int.from_bytes(files[at : at + 2], "big")
            data = files[at + 2 : at + 2 + int.from_bytes(files[at : at + 2], "big")]
            entry = step("malformed_leaf", parse_entry, data)
            person = self.options.person.encode("utf-8", "surrogateescape")
            if leaf_hash(data) != self.mine or salt is None:
                raise Refused("not_mine", "no salt")
            if entry["who"] != sha256(b"fairgate-who/1\n", sha256(salt), person):
                raise Refused("not_mine", "index %d" % index)

    def _unsealed(self):
        """Before the seal there is no list to look into: known is only whose signature the receipt has, and from the log
        whether its entry takes no part."""
        receipt = self._read_receipt()
        if receipt is None:
            return
        if is_promise(receipt):
            promise = self._promise(receipt)

            def is_mine(index, entry_hash):
                return entry_hash == promise

        else:
            _, own, hashes, size, root = self._signed_receipt(receipt)

            def is_mine(index, entry_hash):
                return index == own and inclusion_holds(index, size, entry_hash, hashes, root)

        if not self.options.light:
            self._absence(is_mine)
        self.verdict["warnings"].append("unsealed")

    def _absence(self, is_mine):
        """Whether the caller's entry takes no part."""
        for leaf in (leaf for kind in ABSENCES for leaf in self._leaves(kind)):
            if is_mine(*leaf.values["entry"]):
                self.verdict["index"] = leaf.values["entry"][0]
                self.verdict["absent"] = {"kind": ABSENCES[leaf.kind], "reason": leaf.values["reason"]}
                return

    def _signed_receipt(self, receipt):
        """Salt, index, proof, and size and root of the signed tree of a receipt of this draw."""
        salt, index, hashes, checkpoint = step(UNUSABLE, parse_proof, receipt)
        origin, size, root = step(UNUSABLE, lambda: parse_checkpoint(parse_note(checkpoint)[0]))
        self._is_of_this_draw([origin])
        open_note(checkpoint, self.entries_key, wrong=UNUSABLE)
        if index >= size:
            raise Refused(UNUSABLE, "index")
        return salt, index, hashes, size, root

    def _read_receipt(self):
        receipt = self.options.receipt_data
        if receipt is not None and len(receipt) > MAX_RECEIPT:
            raise Refused(UNUSABLE, "size")
        return receipt

    def _is_of_this_draw(self, origins):
        if self.entries_key.name not in origins:
            raise Refused("receipt_of_another_draw", "%s, not %s" % (origins[0], self.entries_key.name))

    def _promise(self, data):
        """The leaf hash of a signed promise of this draw. A promise has no origin line: its key has the name."""
        _, signatures = step(UNUSABLE, parse_note, data)
        self._is_of_this_draw([name for name, _, _ in signatures])
        text, _ = open_note(data, self.entries_key, wrong=UNUSABLE)
        values = step(UNUSABLE, parse_lines, "fairgate-promise/1", PROMISE, text)
        if values["draw"] != self.draw:
            raise Refused(UNUSABLE, values["draw"])
        return values["leaf"]

    def _exclusions(self):
        self.gone = {"exclude": set(), "withdraw": set()}
        leaves = [leaf for leaf in self.leaves if leaf.kind in self.gone]
        for leaf in leaves:
            index, entry_hash = leaf.values["entry"]
            if index >= len(self.hashes) or self.hashes[index] != entry_hash or self._is_gone(index):
                raise Refused("invalid_exclusion", "leaf %d" % leaf.at)
            self.gone[leaf.kind].add(index)
        for leaf in leaves:
            if leaf.at > self.seal.at:
                raise Refused("late_exclusion", "leaf %d" % leaf.at)
        excluded = [leaf.hash for leaf in self._leaves("exclude")]
        self._absence(lambda index, _: index == self.verdict.get("index"))
        if self.seal.values["excluded"] != ((len(excluded), tree_root(excluded)) if excluded else None):
            raise Refused("hidden_exclusion", "%d exclude leaves" % len(excluded))
        seen = set()
        for index, (_, _, uniq, _) in enumerate(self.entries):
            if uniq is not None and not self._is_gone(index):
                if uniq in seen:
                    raise Refused("duplicate_person", str(index))
                seen.add(uniq)

    def _is_gone(self, index):
        return index in self.gone["exclude"] or index in self.gone["withdraw"]

    def _beacon(self):
        beacons = self._leaves("beacon")
        if not beacons:
            return False
        if len(beacons) > 1 or beacons[0].at < self.seal.at:
            raise Refused("second_beacon")
        if self.files.read(self.folder + "beacon") != beacons[0].data:
            raise Refused("wrong_beacon")
        given_up = {leaf.values["round"] for leaf in self._leaves("abort") if leaf.at < beacons[0].at}
        self._dice(beacons[0], given_up)
        return True

    def _dice(self, leaf, given_up):
        """`given_up` has the rounds with an abort leaf; None without the log."""
        if leaf.kind != "beacon" or leaf.draw != self.draw:
            raise Refused("malformed_leaf", "beacon")
        chain, number = leaf.values["beacon"]
        rounds = self.rules.rounds
        if (chain, number) == self.rules.second:
            earlier, deciding = rounds, self.second_chain
        elif chain == self.rules.chain and number in rounds:
            earlier, deciding = rounds[: rounds.index(number)], self.chain
        else:
            raise Refused("wrong_round", str(number))
        if given_up is not None and not set(earlier) <= given_up:
            raise Refused("wrong_round", "no abort leaf")
        self._accept(chain)
        if earlier:
            self.verdict["warnings"].append("second" if deciding is self.second_chain else "fallback")
        self.progress("dice", 0, 1)
        signature = leaf.values["signature"]
        if not bls_holds(deciding["public_key"], sha256(struct.pack(">Q", number)), signature):
            raise Refused("forged_beacon", "round %d" % number)
        self.beacon, self.seed = leaf, seed_of(self.seal.hash, signature)
        self.verdict.update(stage="drawn", seed=self.seed.hex(), round=number)
        if getattr(self, "mine", None):
            self.verdict["lot"] = lot_of(self.seed, self.mine).hex()

    def _result(self):
        size = len(self.hashes)
        published = self.files.read(self.folder + "result")
        if len(published) % 72:
            raise Refused("malformed_result", "length")
        self.progress("lots", 0, size)
        lots = [lot_of(self.seed, h) for h in self.hashes]
        self.order = sorted(range(size), key=lambda i: (self.entries[i][1], lots[i], self.hashes[i]))
        rows = [struct.pack(">Q", r) + lots[i] + self.hashes[i] for r, i in enumerate(self.order)]
        if b"".join(rows) != published:
            known = set(self.hashes)
            if any(published[at + 40 : at + 72] not in known for at in range(0, len(published), 72)):
                raise Refused("entry_after_seal", "result")
            raise Refused("swapped_lots")
        self.progress("result", 0, size)
        root = tree_root([leaf_hash(row) for row in rows])
        results = self._leaves("result")
        if len(results) > 1 or results and results[0].at < self.beacon.at:
            raise Refused("second_result")
        wanted = {"draw": self.draw, "seal": self.seal.hash, "beacon": self.beacon.values["beacon"], "size": size, "root": root}
        if not results or results[0].values != wanted:
            raise Refused("wrong_result_root", root.hex())
        self.result = results[0]
        self.verdict["result_root"] = root.hex()
        if getattr(self, "mine", None):
            self.verdict["rank"] = next(r for r, i in enumerate(self.order) if self.hashes[i] == self.mine)
        self.verdict["fairness"] = fairness(self.order)

    def _report(self):
        reports = self._leaves("report")
        if not reports:
            return
        if len(reports) > 1 or reports[0].at < self.result.at:
            raise Refused("second_report")
        report, rules = reports[0].values, self.rules
        lines = step("malformed_allotments", parse_allotments, self.files.read(self.folder + "allotments"))
        root = tree_root([leaf_hash(line) for line, *_ in lines])
        if report["allotments"] != (len(lines), root) or report["result"] != self.result.hash:
            raise Refused("wrong_report", "allotments")
        if any(rank != at or at >= len(self.order) for at, (_, rank, *_) in enumerate(lines)):
            raise Refused("skipped_rank", "ranks")
        to_sell = rules.stock - rules.holdbacks
        self._ranks(lines, to_sell)
        if (report["stock"], report["holdbacks"]) != (rules.stock, rules.holdbacks):
            raise Refused("stock_short", "stock of the report")
        bought = sum(line[3] for line in lines)
        if bought > to_sell:
            raise Refused("oversold", "%d of %d" % (bought, to_sell))
        issued = sum(line[3] for line, fits in zip(lines, self.fits) if fits)
        sums = (issued, bought - issued, to_sell - bought)
        if (report["issued"], report["passed"], report["unsold"]) != sums:
            raise Refused("stock_short", "issued %d, passed %d, unsold %d" % sums)
        if sums[2] and len(lines) < len(self.order) and not self._may_stop(len(lines), sums[2]):
            raise Refused("stock_short", "%d units unsold" % sums[2])
        self.verdict["stage"] = "ended"
        self.verdict["report"] = dict(zip(("issued", "passed", "unsold"), sums))

    def _may_stop(self, reached, unsold):
        if self.rules.until is not None and quorum_by(self.log_times, self.rules.quorum, lambda t: t >= self.rules.until):
            return True
        following = next((i for i in self.order[reached:] if not self._is_gone(i)), None)
        return self.rules.fit == "stop" and following is not None and self.entries[following][0] > unsold

    def _ranks(self, lines, to_sell):
        passes = {}
        for leaf in self._leaves("pass"):
            passes.setdefault(leaf.values["rank"], []).append(leaf.values)
        offered, self.fits = 0, []
        for _, rank, status, bought, passed in lines:
            index = self.order[rank]
            qty = self.entries[index][0]
            kind = {"withdrawn": "withdraw", "excluded": "exclude"}.get(status)
            if kind and index not in self.gone[kind]:
                raise Refused("hidden_exclusion", "rank %d" % rank)
            if not kind and self._is_gone(index):
                raise Refused("excluded_offered", "rank %d" % rank)
            if bought + passed != (qty if status == "offered" else 0):
                raise Refused("wrong_report", "rank %d" % rank)
            if passed:
                found = passes.pop(rank, [])
                if len(found) != 1 or (found[0]["entry"], found[0]["units"]) != (self.hashes[index], passed):
                    raise Refused("skipped_rank", "rank %d" % rank)
            if status == "unfit" and not (self.rules.fit == "skip" and offered + qty > to_sell):
                raise Refused("skipped_rank", "rank %d" % rank)
            self.fits.append(offered + qty <= to_sell)
            offered += bought + passed
        if passes:
            raise Refused("skipped_rank", "pass of rank %d" % min(passes))


def is_number(value, wanted):
    """Whether it is this number; for Python, true is 1."""
    return type(value) is int and value == wanted


def is_promise(receipt):
    return receipt.startswith(b"fairgate-promise/1\n")


def place_of(ticket, count, seed):
    """The drawn number of a ticket of a waiting room: the swap-or-not shuffle."""
    for number in range(90):
        head = seed + bytes([number])
        other = (int.from_bytes(sha256(head)[:8], "big") % count - ticket) % count
        high = max(ticket, other)
        bits = sha256(head, struct.pack(">I", high // 256))
        if bits[high % 256 // 8] >> high % 8 & 1:
            ticket = other
    return ticket


class RoomCheck:
    """The draw of a waiting room's order. Only the last draw, or the one of `--epoch`."""

    def __init__(self, files, options, progress):
        self.files, self.options, self.progress = files, options, progress
        self.room = ROOM_ADDRESS.fullmatch(options.source).group(1)
        self.verdict = {"code": "ok", "stage": "announced", "room": self.room, "announced": [], "warnings": []}

    def run(self):
        self._draw()
        ticket, tickets = self.options.ticket, self.verdict.get("tickets")
        # A ticket that is not in the draw fails when all else is right.
        if ticket is not None and tickets and not 0 <= ticket < tickets:
            raise Refused("ticket_not_in_draw", "%d, not 0-%d" % (ticket, tickets - 1))

    def _draw(self):
        record = self._json("/draws")
        if not isinstance(record.get("log"), str):
            raise Refused("malformed_bundle", "log")
        self.log_key = step("malformed_bundle", Key.parse, record["log"], 1)
        if self.options.log_key and self.options.log_key.id != self.log_key.id:
            raise Refused("wrong_log_key", self.log_key.name)
        self.first_epoch = record.get("first_epoch", 0)
        if type(self.first_epoch) is not int:
            raise Refused("malformed_bundle", "first_epoch")
        self._house_log()
        seals = [leaf for leaf in self.leaves if leaf.kind == "seal"]
        self.verdict["announced"] = epochs = [leaf.values["epoch"] for leaf in seals]
        if not epochs:
            raise Refused("not_announced", self.room)
        wanted = max(epochs) if self.options.epoch is None else self.options.epoch
        own = [leaf for leaf in seals if leaf.values["epoch"] == wanted]
        if not own:
            raise Refused("missing_file", "epoch %d" % wanted)
        if len(own) > 1:
            raise Refused("second_seal", str(wanted))
        seal = own[0]
        draws = record.get("draws") if isinstance(record.get("draws"), list) else []
        listed = [draw for draw in draws if isinstance(draw, dict) and is_number(draw.get("epoch"), wanted)]
        if not listed:
            raise Refused("missing_file", "draws")
        name, number = seal.values["beacon"]
        info, proof = listed[0].get("chain"), listed[0].get("proof")
        if type(info) is not str or type(proof) is not str:
            raise Refused("malformed_bundle", "draws")
        chain = self._chain(name, info)
        at = time_of(chain, number)
        if wanted < self.first_epoch:
            self.verdict["warnings"].append("earlier_room")
        self.verdict.update(stage="sealed", epoch=wanted, tickets=seal.values["tickets"], round=number, time=at)
        if seal.quorum:
            self._cosigned(seal, proof, at - SEAL_MARGIN_SECONDS)
        else:
            self.verdict["warnings"].append("no_witness")
        self._result(seal, chain, at)

    def _json(self, name):
        return step("malformed_bundle", parse_json, self.files.read("q/" + self.room + name))

    def _house_log(self):
        size, root, _ = open_checkpoint(self.files.read("log/checkpoint"), self.log_key)
        data = list(read_entries(self.files, "log", size, self.progress))
        self.log, self.log_size = Tree([leaf_hash(d) for d in data]), size
        if self.log.root(size) != root:
            raise Refused("forked_log", "root")
        leaves = [step("malformed_leaf", RoomLeaf, i, d) for i, d in enumerate(data)]
        self.leaves = [leaf for leaf in leaves if leaf.values["room"] == self.room]

    def _chain(self, named, info):
        if named == QUICKNET["hash"]:
            return QUICKNET
        if named not in self.options.chain:
            raise Refused("unknown_beacon", named)
        chain = step("malformed_chain", parse_chain, info.encode("utf-8"))
        if chain["hash"] != named:
            raise Refused("malformed_chain", chain["hash"])
        return chain

    def _cosigned(self, seal, proof, limit):
        if not proof:
            raise Refused("no_quorum", "proof")
        _, index, hashes, checkpoint = step("malformed_proof", parse_proof, proof.encode("utf-8"))
        size, root, times = open_checkpoint(checkpoint, self.log_key, seal.witnesses)
        if not inclusion_holds(index, size, seal.hash, hashes, root):
            raise Refused("bad_proof")
        if size > self.log_size or self.log.root(size) != root:
            raise Refused("forked_log", "proof")
        if not quorum_by(times, seal.quorum, lambda t: True):
            raise Refused("no_quorum", "%d of %d" % (len(times), seal.quorum))
        if not quorum_by(times, seal.quorum, lambda t: t <= limit):
            raise Refused("late_seal", "limit %d" % limit)

    def _head(self):
        """What browsers read; a room without a head is gone."""
        try:
            return self._json("/head")
        except Refused as e:
            if e.code != "missing_file":
                raise
            return {}

    def _has_opened(self, epoch, head):
        """Whether the room lets people in after the draw of this epoch: the latest one, and of this room, not of an earlier one that had its id."""
        is_present = self.first_epoch <= epoch == max(self.verdict["announced"])
        return is_present and head.get("phase") in ("open", "paused", "ended")

    def _result(self, seal, chain, at):
        epoch, tickets = seal.values["epoch"], seal.values["tickets"]
        results = [leaf for leaf in self.leaves if leaf.kind == "result" and leaf.values["epoch"] == epoch]
        if not results:
            is_open = self._has_opened(epoch, self._head()) and clock() >= at + OPEN_SECONDS
            if is_open or clock() >= at + GRACE_SECONDS:
                raise Refused("withheld", "round %d" % seal.values["beacon"][1])
            return
        if len(results) > 1 or results[0].at < seal.at:
            raise Refused("second_result", str(epoch))
        values = results[0].values
        if values["beacon"] != seal.values["beacon"] or values["seal"] != seal.hash:
            raise Refused("wrong_round", str(values["beacon"][1]))
        number, signature = values["beacon"][1], values["signature"]
        if not bls_holds(chain["public_key"], sha256(struct.pack(">Q", number)), signature):
            raise Refused("forged_beacon", "round %d" % number)
        seed = sha256(b"fairgate-room-seed/1\n", seal.hash, sha256(signature))
        if seed != values["seed"]:
            raise Refused("wrong_result_root", values["seed"].hex())
        head = self._head()
        drawn = head.get("drawn") if isinstance(head.get("drawn"), dict) else {}
        if is_number(drawn.get("epoch"), epoch):
            if not is_number(drawn.get("n"), tickets) or drawn.get("seed") != seed.hex():
                raise Refused("swapped_lots", "head")
        elif self._has_opened(epoch, head):
            raise Refused("not_in_use", "head")
        self.verdict.update(stage="drawn", seed=seed.hex())
        if self.options.ticket is not None and 0 <= self.options.ticket < tickets:
            self.verdict["place"] = place_of(self.options.ticket, tickets, seed)


def parse_allotments(data):
    """(line, rank, status, bought, passed) of each rank."""
    lines = text_of(data).split("\n")
    if lines.pop() != "":
        raise Malformed("allotments")
    found = []
    for line in lines:
        words = line.split(" ")
        if len(words) != 4 or words[1] not in ("offered", "withdrawn", "excluded", "unfit"):
            raise Malformed("allotments")
        found.append(((line + "\n").encode("ascii"), whole_number(words[0]), words[1], whole_number(words[2]), whole_number(words[3])))
    return found


def fairness(order):
    """Chi-square of rank by time of entry, alone and of neighbours, each with its degrees of freedom; None for small draws."""
    n, d = len(order), min(10, len(order) // 50)
    if d < 2:
        return None
    rank = [0] * n
    for r, i in enumerate(order):
        rank[i] = r
    group = [r * d // n for r in rank]
    return {
        "marginal": chi_square([(i * d // n, g) for i, g in enumerate(group)], d),
        "joint": chi_square(list(zip(group, group[1:])), d),
        "degrees": (d - 1) ** 2,
    }


def chi_square(cells, d):
    table = [[0] * d for _ in range(d)]
    for row, column in cells:
        table[row][column] += 1
    rows, columns, total = [sum(row) for row in table], [sum(column) for column in zip(*table)], 0.0
    for r in range(d):
        for c in range(d):
            expected = rows[r] * columns[c] / len(cells)
            total += (table[r][c] - expected) ** 2 / expected if expected else 0
    return round(total, 2)


# --- Words -------------------------------------------------------------------------------------------------------------

LANGUAGES = ["en", "zh-Hant", "zh-Hans"]
# What a verdict means.
CODES = {
    "ok": (
        "Everything that was checked is right.",
        "檢查過的內容全部正確。",
        "检查过的内容全部正确。",
    ),
    "malformed_bundle": (
        "The file cannot be read as the record of a draw. Download it again.",
        "這個檔案不是抽籤紀錄，或已損壞。請重新下載。",
        "这个文件不是抽签记录，或已损坏。请重新下载。",
    ),
    "wrong_log_key": (
        "The record is signed by another log than the one you named.",
        "這份紀錄的日誌金鑰與您指定的不同。",
        "这份记录的日志密钥与您指定的不同。",
    ),
    "missing_file": (
        "A part of the record is missing.",
        "紀錄缺少一部分。",
        "记录缺少一部分。",
    ),
    "unreachable": (
        "The record cannot be reached. Check the address and the connection.",
        "無法取得紀錄。請檢查網址與網路連線。",
        "无法取得记录。请检查网址与网络连接。",
    ),
    "unusable_receipt": (
        "This receipt cannot be used as evidence: it is damaged, larger than 64 kB, or not signed by the key of this draw. Look for the file as you saved it.",
        "這份收據無法作為證據：檔案已損壞、大於 64 kB，或未經這次抽籤的金鑰簽署。請找出您當初儲存的檔案。",
        "这份收据无法作为证据：文件已损坏、大于 64 kB，或未经这次抽签的密钥签署。请找出您当初保存的文件。",
    ),
    "receipt_of_another_draw": (
        "This receipt is of another draw. It names {given}; the record is of {wanted}.",
        "這份收據屬於另一次抽籤：收據載明 {given}，紀錄則是 {wanted}。",
        "这份收据属于另一次抽签：收据载明 {given}，记录则是 {wanted}。",
    ),
    "ticket_not_in_draw": (
        "Ticket {given} is not in this draw. Its tickets are {wanted}; later ones keep their numbers.",
        "號碼 {given} 不在這次抽籤中。參加抽籤的號碼是 {wanted}，之後的號碼維持原號。",
        "号码 {given} 不在这次抽签中。参加抽签的号码是 {wanted}，之后的号码保持原号。",
    ),
    "not_announced": (
        "The log announces no draw of this waiting room, so nothing was checked. Check the name of the room.",
        "日誌中沒有這個等候室的抽籤公告，因此未檢查任何內容。請確認等候室的名稱。",
        "日志中没有这个等候室的抽签公告，因此未检查任何内容。请确认等候室的名称。",
    ),
    "malformed_rules": (
        "The rules of the draw cannot be read.",
        "抽籤規則無法讀取。",
        "抽签规则无法读取。",
    ),
    "malformed_chain": (
        "The description of the public dice cannot be read, or does not fit its name.",
        "公開亂數來源的說明無法讀取，或與其名稱不符。",
        "公开随机数来源的说明无法读取，或与其名称不符。",
    ),
    "unknown_beacon": (
        "The dice are not the public ones. The operator could have made them himself.",
        "亂數並非來自公開來源，主辦方可能自行產生。",
        "随机数并非来自公开来源，主办方可能自行产生。",
    ),
    "malformed_note": (
        "A signed head of the log cannot be read.",
        "已簽署的日誌摘要無法讀取。",
        "已签署的日志摘要无法读取。",
    ),
    "bad_signature": (
        "A signature is missing or wrong.",
        "缺少簽章或簽章不正確。",
        "缺少签名或签名不正确。",
    ),
    "malformed_log": (
        "The log cannot be read.",
        "日誌無法讀取。",
        "日志无法读取。",
    ),
    "forked_log": (
        "The log was changed after it was signed, or there are two versions of it.",
        "日誌在簽署後被更改，或存在兩個版本。",
        "日志在签署后被更改，或存在两个版本。",
    ),
    "malformed_leaf": (
        "An entry of the log cannot be read.",
        "日誌中有一筆紀錄無法讀取。",
        "日志中有一条记录无法读取。",
    ),
    "edited_rules": (
        "The rules are not the ones that were published before the draw.",
        "規則與抽籤前公布的不同。",
        "规则与抽签前公布的不同。",
    ),
    "malformed_proof": (
        "A proof cannot be read.",
        "有一份證明無法讀取。",
        "有一份证明无法读取。",
    ),
    "bad_proof": (
        "A proof does not lead to the signed head of the log.",
        "有一份證明與已簽署的日誌摘要不符。",
        "有一份证明与已签署的日志摘要不符。",
    ),
    "no_quorum": (
        "Not enough independent witnesses signed.",
        "簽署的獨立見證人不足。",
        "签署的独立见证人不足。",
    ),
    "late_rules": (
        "The witnesses saw the rules only after the draw had opened.",
        "見證人在抽籤開放後才看到規則。",
        "见证人在抽签开放后才看到规则。",
    ),
    "second_seal": (
        "The list was sealed more than once, or before the rules.",
        "名單被封存不只一次，或早於規則封存。",
        "名单被封存不止一次，或早于规则封存。",
    ),
    "wrong_round": (
        "The dice were not the ones that the rules named.",
        "使用的亂數不是規則指定的那一次。",
        "使用的随机数不是规则指定的那一次。",
    ),
    "late_seal": (
        "The witnesses saw the sealed list too late: the dice could already be known.",
        "見證人太晚看到封存的名單，當時亂數可能已經公開。",
        "见证人太晚看到封存的名单，当时随机数可能已经公开。",
    ),
    "entry_after_seal": (
        "An entry was added after the list was sealed.",
        "名單封存後又加入了登記。",
        "名单封存后又加入了登记。",
    ),
    "forked_list": (
        "The list is not the one that was signed: there are two versions of it.",
        "名單與已簽署的不同：存在兩個版本。",
        "名单与已签署的不同：存在两个版本。",
    ),
    "invalid_entry": (
        "An entry of the list breaks the rules.",
        "名單中有一筆登記不符合規則。",
        "名单中有一条登记不符合规则。",
    ),
    "dropped_entry": (
        "Your entry was accepted, but it is not in the sealed list. Your receipt proves it.",
        "您的登記曾被接受，卻不在封存的名單中。您的收據就是證據。",
        "您的登记曾被接受，却不在封存的名单中。您的收据就是证据。",
    ),
    "not_mine": (
        "The entry of this receipt belongs to another person than the one you named. Check how the person is written.",
        "這份收據的登記不屬於您指定的人。請確認該人的寫法。",
        "这份收据的登记不属于您指定的人。请确认该人的写法。",
    ),
    "invalid_exclusion": (
        "An exclusion names an entry that does not exist, or names it twice.",
        "有一筆排除紀錄指向不存在的登記，或重複排除。",
        "有一条排除记录指向不存在的登记，或重复排除。",
    ),
    "late_exclusion": (
        "An entry was excluded after the list was sealed.",
        "有登記在名單封存後才被排除。",
        "有登记在名单封存后才被排除。",
    ),
    "hidden_exclusion": (
        "An entry was passed over without a public record.",
        "有登記在沒有公開紀錄的情況下被略過。",
        "有登记在没有公开记录的情况下被略过。",
    ),
    "duplicate_person": (
        "One person is in the list twice.",
        "同一人在名單中出現兩次。",
        "同一人在名单中出现两次。",
    ),
    "second_beacon": (
        "The dice were recorded more than once, or before the list was sealed.",
        "亂數被記錄不只一次，或早於名單封存。",
        "随机数被记录不止一次，或早于名单封存。",
    ),
    "wrong_beacon": (
        "The dice in the record are not those in the log.",
        "紀錄中的亂數與日誌中的不同。",
        "记录中的随机数与日志中的不同。",
    ),
    "forged_beacon": (
        "The dice are forged: their signature is wrong.",
        "亂數是偽造的：其簽章不正確。",
        "随机数是伪造的：其签名不正确。",
    ),
    "malformed_result": (
        "The result cannot be read.",
        "結果無法讀取。",
        "结果无法读取。",
    ),
    "swapped_lots": (
        "The published order is not the one that the dice give.",
        "公布的順序與亂數算出的不同。",
        "公布的顺序与随机数算出的不同。",
    ),
    "late_abort": (
        "The draw was aborted although its random number was public: somebody may have disliked the result.",
        "亂數公布後，抽籤才被中止：可能有人不滿意結果。",
        "随机数公布后，抽签才被中止：可能有人不满意结果。",
    ),
    "not_in_use": (
        "The order was drawn, but the waiting room does not use it.",
        "順位已抽出，但等候室並未採用。",
        "顺位已抽出，但等候室并未采用。",
    ),
    "withheld": (
        "The dice were due on {time} UTC, and the operator has not published the result. If you saved the record earlier, fetch it again. A public archive tells whether the round exists.",
        "亂數應於 {time} UTC 產生，而主辦方尚未公布結果。若紀錄是先前儲存的，請重新下載。該輪亂數是否存在，可向公開的紀錄查詢。",
        "随机数应于 {time} UTC 产生，而主办方尚未公布结果。如果记录是先前保存的，请重新下载。该轮随机数是否存在，可向公开的记录查询。",
    ),
    "second_result": (
        "There is more than one result.",
        "結果不只一個。",
        "结果不止一个。",
    ),
    "wrong_result_root": (
        "The recorded result is not the one that the dice give.",
        "日誌記錄的結果與亂數算出的不同。",
        "日志记录的结果与随机数算出的不同。",
    ),
    "second_report": (
        "There is more than one final report.",
        "最終報告不只一份。",
        "最终报告不止一份。",
    ),
    "malformed_allotments": (
        "The list of allotted units cannot be read.",
        "商品分配清單無法讀取。",
        "商品分配清单无法读取。",
    ),
    "wrong_report": (
        "The final report does not fit the list of allotted units.",
        "最終報告與商品分配清單不符。",
        "最终报告与商品分配清单不符。",
    ),
    "skipped_rank": (
        "A rank was skipped, or units were passed on without a public record.",
        "有順位被跳過，或商品在沒有公開紀錄的情況下轉給他人。",
        "有名次被跳过，或商品在没有公开记录的情况下转给他人。",
    ),
    "excluded_offered": (
        "A withdrawn or excluded entry was offered units.",
        "已撤回或被排除的登記獲得了商品。",
        "已撤回或被排除的登记获得了商品。",
    ),
    "stock_short": (
        "The units do not add up to the promised stock.",
        "商品數量加總與承諾的數量不符。",
        "商品数量加总与承诺的数量不符。",
    ),
    "oversold": (
        "More units were sold than the rules promise.",
        "售出的商品多於規則承諾的數量。",
        "售出的商品多于规则承诺的数量。",
    ),
}
# What was found.
SAYS = {
    "title": (
        "Draw {draw}",
        "抽籤 {draw}",
        "抽签 {draw}",
    ),
    "rules": (
        "The rules are those of the shop's log. No witness confirms that they were published before the draw.",
        "規則與商家日誌中的相同。沒有見證人證明規則在抽籤前已公布。",
        "规则与商家日志中的相同。没有见证人证明规则在抽签前已公布。",
    ),
    "rules.witnessed": (
        "The rules were published before the draw, and witnesses signed them: {witnesses} of {quorum} needed.",
        "規則在抽籤前已公布並由見證人簽署：{witnesses} 位（至少需 {quorum} 位）。",
        "规则在抽签前已公布并由见证人签署：{witnesses} 位（至少需 {quorum} 位）。",
    ),
    "open": (
        "The list is not sealed yet. Keep your receipt and check again later.",
        "名單尚未封存。請保留收據，稍後再檢查。",
        "名单尚未封存。请保留收据，稍后再检查。",
    ),
    "sealed": (
        "The list of {size} entries was sealed. No witness confirms that this was before the dice were thrown ({time} UTC).",
        "共 {size} 筆登記的名單已封存。沒有見證人證明這發生在亂數產生（{time} UTC）之前。",
        "共 {size} 条登记的名单已封存。没有见证人证明这发生在随机数产生（{time} UTC）之前。",
    ),
    "sealed.witnessed": (
        "The list of {size} entries was sealed before the dice were thrown ({time} UTC).",
        "共 {size} 筆登記的名單在亂數產生（{time} UTC）之前已封存。",
        "共 {size} 条登记的名单在随机数产生（{time} UTC）之前已封存。",
    ),
    "mine": (
        "Your entry is in the sealed list: number {number}.",
        "您的登記在封存的名單中：第 {number} 號。",
        "您的登记在封存的名单中：第 {number} 号。",
    ),
    "dice": (
        "The dice are genuine: round {round} of the named source.",
        "亂數是真實的：指定之亂數來源的第 {round} 輪。",
        "随机数是真实的：指定的随机数来源的第 {round} 轮。",
    ),
    "lot": (
        "Your lot: {lot}. The lowest lots come first.",
        "您的籤號：{lot}。籤號最小者優先。",
        "您的签号：{lot}。签号最小者优先。",
    ),
    "order": (
        "All {size} lots were computed again. The published order is right.",
        "已重新計算全部 {size} 個籤號。公布的順序正確。",
        "已重新计算全部 {size} 个签号。公布的顺序正确。",
    ),
    "rank": (
        "Your rank: {rank} of {size}.",
        "您的順位：第 {rank} 位，共 {size} 位。",
        "您的名次：第 {rank} 位，共 {size} 位。",
    ),
    "withdrawn": (
        "Your entry, number {number} of the list, was withdrawn (reason: {reason}). It gets no units: its place in the order is passed over.",
        "您的登記（名單第 {number} 號）已撤回（原因：{reason}），不會獲得商品，其順位會被略過。",
        "您的登记（名单第 {number} 号）已撤回（原因：{reason}），不会获得商品，其名次会被略过。",
    ),
    "excluded": (
        "Your entry, number {number} of the list, was excluded (reason: {reason}). It gets no units: its place in the order is passed over.",
        "您的登記（名單第 {number} 號）已被排除（原因：{reason}），不會獲得商品，其順位會被略過。",
        "您的登记（名单第 {number} 号）已被排除（原因：{reason}），不会获得商品，其名次会被略过。",
    ),
    "report": (
        "The units add up: {issued} sold directly, {passed} passed on and sold, {unsold} unsold.",
        "商品數量相符：直接售出 {issued} 件，轉給他人後售出 {passed} 件，未售出 {unsold} 件。",
        "商品数量相符：直接售出 {issued} 件，转给他人后售出 {passed} 件，未售出 {unsold} 件。",
    ),
    "aborted": (
        "The operator ended this draw early. The reason is in its log.",
        "主辦方提前結束了這次抽籤，原因記錄在日誌中。",
        "主办方提前结束了这次抽签，原因记录在日志中。",
    ),
    "passed": (
        "RESULT: correct",
        "結果：正確",
        "结果：正确",
    ),
    "passed.sealed": (
        "RESULT: correct so far. The order of the draw was not checked.",
        "結果：目前正確，尚未檢查抽籤的順序。",
        "结果：目前正确，尚未检查抽签的顺序。",
    ),
    "failed": (
        "RESULT: WRONG",
        "結果：有問題",
        "结果：有问题",
    ),
    "evidence": (
        "Before you accuse anybody, fetch the record again from the shop's own address and check all of it: a copy from elsewhere may be damaged. If the verdict stays, it is evidence.",
        "指責任何人之前，請從商家自己的網址重新取得紀錄並完整檢查：其他來源的副本可能已損壞。若結果不變，即為證據。",
        "指责任何人之前，请从商家自己的网址重新取得记录并完整检查：其他来源的副本可能已损坏。如果结果不变，即为证据。",
    ),
    "unread": (
        "RESULT: could not be checked",
        "結果：無法檢查",
        "结果：无法检查",
    ),
    "room": (
        "The order of the waiting room {room}",
        "等候室 {room} 的順位",
        "等候室 {room} 的顺序",
    ),
    "again": (
        "Note: the log has {count} announcements of draws of this room (epochs {epochs}). Ask why.",
        "注意：日誌中有這個等候室的 {count} 次抽籤公告（期數 {epochs}）。請詢問原因。",
        "注意：日志中有这个等候室的 {count} 次抽签公告（期数 {epochs}）。请询问原因。",
    ),
    "tickets": (
        "{size} tickets of epoch {epoch} were sealed, and round {round} ({time} UTC) was named to decide.",
        "第 {epoch} 期的 {size} 個號碼已封存，並指定由第 {round} 輪（{time} UTC）決定。",
        "第 {epoch} 期的 {size} 个号码已封存，并指定由第 {round} 轮（{time} UTC）决定。",
    ),
    "waiting": (
        "The dice are still to come. Check again later.",
        "亂數尚未產生，請稍後再檢查。",
        "随机数尚未产生，请稍后再检查。",
    ),
    "place": (
        "Your ticket has place {place} of {size} in the drawn order.",
        "您的號碼在抽出的順位中排第 {place}，共 {size} 個。",
        "您的号码在抽出的顺序中排第 {place}，共 {size} 个。",
    ),
    "warn.no_witness": (
        "Note: the rules name no witnesses. Nobody outside confirms when the list was sealed.",
        "注意：規則未指定見證人，沒有外部人士能證明名單何時封存。",
        "注意：规则未指定见证人，没有外部人士能证明名单何时封存。",
    ),
    "warn.earlier_room": (
        "Note: the room was deleted and created again after this draw. The draw was not for the room that is there now. Ask why.",
        "注意：這次抽籤之後，等候室已被刪除並重新建立。這次抽籤不屬於目前的等候室。請詢問原因。",
        "注意：这次抽签之后，等候室已被删除并重新创建。这次抽签不属于现在的等候室。请询问原因。",
    ),
    "warn.earlier_draw": (
        "Note: this is not the first draw of this product: {draws} came before it. Check them too. If one was aborted after its list was sealed, ask why.",
        "注意：這不是此商品的第一次抽籤，先前有：{draws}。也請檢查那些抽籤；若有任何一次在名單封存後中止，請詢問原因。",
        "注意：这不是此商品的第一次抽签，之前有：{draws}。也请检查那些抽签；如果有任何一次在名单封存后中止，请询问原因。",
    ),
    "warn.light": (
        "Note: this was the short check. It cannot see a second sealed list, nor whether your entry was withdrawn or excluded; the full check can.",
        "注意：這是簡易檢查，無法發現第二份封存的名單，也無法得知您的登記是否已撤回或被排除；完整檢查可以。",
        "注意：这是简易检查，无法发现第二份封存的名单，也无法得知您的登记是否已撤回或被排除；完整检查可以。",
    ),
    "warn.promise": (
        "Note: whether a promised entry is in the list takes the full check.",
        "注意：要確認承諾的登記是否在名單中，需要完整檢查。",
        "注意：要确认承诺的登记是否在名单中，需要完整检查。",
    ),
    "warn.unsealed": (
        "Note: the shop's signature on your receipt is right, but whether your entry is in the list was not checked: the list is not sealed. If the draw goes on, it is sealed by {time} UTC: come back after that.",
        "注意：收據上的商家簽章正確，但名單尚未封存，因此未檢查您的登記是否在名單中。若抽籤照常進行，名單最晚於 {time} UTC 封存，請於之後再檢查。",
        "注意：收据上的商家签名正确，但名单尚未封存，因此未检查您的登记是否在名单中。如果抽签照常进行，名单最晚于 {time} UTC 封存，请于之后再检查。",
    ),
    "warn.fallback": (
        "Note: the round that the rules name first was given up. Ask the public archive whether it existed.",
        "注意：規則首先指定的那一輪亂數已被放棄。請向公開的紀錄查詢該輪是否存在。",
        "注意：规则首先指定的那一轮随机数已被放弃。请向公开的记录查询该轮是否存在。",
    ),
    "warn.second": (
        "Note: all rounds of the first beacon were given up, and the second one decided. Ask the public archive whether they existed.",
        "注意：第一個亂數來源的各輪都已被放棄，由第二個來源決定。請向公開的紀錄查詢那些輪次是否存在。",
        "注意：第一个随机数来源的各轮都已被放弃，由第二个来源决定。请向公开的记录查询那些轮次是否存在。",
    ),
}


# --- The command -----------------------------------------------------------------------------------------------------


UNREADABLE = ["missing_file", "unreachable", UNUSABLE, "receipt_of_another_draw", "not_mine", "ticket_not_in_draw", "not_announced"]


def unreadable(code):
    return code.startswith("malformed_") or code in UNREADABLE


def room_sentences(verdict, say):
    yield say("room", room=verdict["room"])
    if len(verdict["announced"]) > 1:
        yield say("again", count=len(verdict["announced"]), epochs=", ".join(map(str, verdict["announced"])))
    if "tickets" in verdict:
        yield say("tickets", size=verdict["tickets"], epoch=verdict["epoch"], round=verdict["round"], time=utc(verdict["time"]))
    if "seed" in verdict:
        yield say("dice", round=verdict["round"])
    if "place" in verdict:
        yield say("place", place=verdict["place"] + 1, size=verdict["tickets"])
    if verdict["code"] == "ok" and "seed" not in verdict:
        yield say("waiting")
    for warning in verdict["warnings"]:
        yield say("warn." + warning)


def sentences(check, say):
    """What was found, in words, as far as the checks came."""
    verdict = check.verdict
    if "room" in verdict:
        yield from room_sentences(verdict, say)
        return
    yield say("title", draw=verdict["draw"] or "?")
    if hasattr(check, "times"):
        quorum = check.rules.quorum
        yield say("rules.witnessed", witnesses=len(check.times), quorum=quorum) if quorum else say("rules")
    if hasattr(check, "seal"):
        yield say("sealed.witnessed" if check.rules.quorum else "sealed", size=verdict["size"], time=utc(time_of(check.chain, check.rules.round)))
    absent = verdict.get("absent")
    if absent:
        yield say(absent["kind"], number=verdict["index"] + 1, reason=absent["reason"])
    elif "index" in verdict:
        yield say("mine", number=verdict["index"] + 1)
    if "round" in verdict:
        yield say("dice", round=verdict["round"])
    if "lot" in verdict and not absent:
        yield say("lot", lot=verdict["lot"])
    if "result_root" in verdict:
        yield say("order", size=verdict["size"])
    if "rank" in verdict and not absent:
        yield say("rank", rank=verdict["rank"] + 1, size=verdict["size"])
    if "report" in verdict:
        yield say("report", **verdict["report"])
    if verdict["code"] == "ok" and verdict["stage"] in ("announced", "aborted"):
        yield say("open" if verdict["stage"] == "announced" else "aborted")
    for warning in verdict["warnings"]:
        yield say("warn." + warning, time=utc(check.rules.seal_by), draws=", ".join(verdict.get("earlier", [])))


def utc(seconds):
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return str(seconds)


class Progress:
    """One line on the terminal, at most ten times a second."""

    def __init__(self, shown):
        self.shown, self.last = shown, 0.0

    def __call__(self, name, done, total):
        now = time.monotonic()
        if self.shown and now - self.last > 0.1:
            self.last = now
            share = "%3d %%" % (100 * done // total) if total else "%d kB" % (done >> 10)
            sys.stderr.write("\r%-12s %s " % (name, share))
            sys.stderr.flush()

    def clear(self):
        if self.shown and self.last:
            sys.stderr.write("\r%30s\r" % "")


class Usage(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, "%s: %s\n" % (self.prog, message))


def parse_options(arguments):
    usage = Usage(prog="verify_draw.py", description="Checks a draw of Fairgate.")
    addresses = "https://shop.example/draws/<draw> or https://shop.example/q/<room>"
    usage.add_argument("source", metavar="BUNDLE_OR_ADDRESS", help="bundle.tar, or " + addresses)
    usage.add_argument("--receipt", metavar="FILE", help="your receipt (.tlog-proof), or the promise you got before it")
    usage.add_argument("--person", metavar="TEXT", help="the person of the receipt, as the shop wrote it")
    usage.add_argument("--chain", metavar="HASH", type=chain_hash, action="append", default=[], help="accept this drand chain besides quicknet")
    usage.add_argument("--log-key", metavar="VKEY", type=log_key, help="the key of the shop's log, if you know it from elsewhere")
    usage.add_argument("--ticket", metavar="NUMBER", type=whole, help="of a room: your ticket (the first one is 0)")
    usage.add_argument("--epoch", metavar="NUMBER", type=natural, help="of a room: the draw to check; default: the latest")
    usage.add_argument("--light", action="store_true", help="only rules, seal, receipt and dice; reads little")
    usage.add_argument("--json", action="store_true", help="print one JSON object")
    usage.add_argument("--lang", choices=list(LANGUAGES), default=default_language(), help="language of the verdict")
    options = usage.parse_args(arguments)
    if ROOM_ADDRESS.fullmatch(options.source):
        if options.receipt or options.person or options.light:
            usage.error("a waiting room has no --receipt, --person or --light: use --ticket")
    elif options.ticket is not None or options.epoch is not None:
        usage.error("--ticket and --epoch are of waiting rooms: a draw has --receipt")
    return options


def whole(text):
    if not re.fullmatch("-?[0-9]{1,18}", text, re.ASCII):
        raise argparse.ArgumentTypeError("not a number: " + text)
    return int(text)


def chain_hash(text):
    if not re.fullmatch("[0-9a-f]{64}", text, re.ASCII):
        raise argparse.ArgumentTypeError("not 64 hex digits in lower case: " + text)
    return text


def log_key(text):
    try:
        return Key.parse(text, 1)
    except Malformed:
        raise argparse.ArgumentTypeError("not the key of a log: " + text) from None


def natural(text):
    if not re.fullmatch("[0-9]{1,15}", text, re.ASCII):
        raise argparse.ArgumentTypeError("not a number: " + text)
    return int(text)


def default_language():
    name = next((os.environ[v] for v in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(v)), "")
    if not name.startswith("zh"):
        return "en"
    return "zh-Hans" if re.match("zh_(CN|SG)|zh.*Hans", name) else "zh-Hant"


def open_files(options, progress, folder):
    if not re.match("https?://", options.source):
        return TarFiles(options.source)
    if options.light:
        return WebFiles(options.source)
    path = os.path.join(folder, "bundle.tar")
    with open(path, "wb") as into:
        fetch(options.source.rstrip("/") + "/bundle.tar", into, progress)
    return TarFiles(path)


def verify(options, progress):
    """The finished check; its verdict has the code."""
    is_room = ROOM_ADDRESS.fullmatch(options.source)
    check = RoomCheck(WebFiles(options.source), options, progress) if is_room else Check(None, options, progress)
    try:
        if is_room:
            check.run()
            return check
        options.receipt_data = None
        if options.receipt:
            with open(options.receipt, "rb") as file:
                options.receipt_data = file.read(MAX_RECEIPT + 1)
        with tempfile.TemporaryDirectory() as folder:
            check.files = open_files(options, progress, folder)
            try:
                check.run_light() if options.light else check.run()
            finally:
                check.files.close()
    except Refused as e:
        check.verdict.update(code=e.code, detail=e.detail)
    except OSError as e:
        check.verdict.update(code="unreachable", detail=str(e))
    except Exception as e:  # A defect of this program must not look like a verdict about the draw.
        check.verdict.update(code="malformed_bundle", detail="defect: %s: %s" % (type(e).__name__, e))
    return check


def main(arguments):
    options = parse_options(arguments)
    progress = Progress(sys.stderr.isatty())
    check = verify(options, progress)
    progress.clear()
    code = check.verdict["code"]
    if options.json:
        print(json.dumps(check.verdict))
    else:
        language = LANGUAGES.index(options.lang)
        for sentence in sentences(check, lambda key, **values: SAYS[key][language].format(**values)):
            print(sentence)
        passed = "passed.sealed" if check.verdict["stage"] in ("announced", "sealed") else "passed"
        print(SAYS[passed if code == "ok" else "unread" if unreadable(code) else "failed"][language])
        # Of input of another draw, the detail has what was given and what was wanted.
        given, _, wanted = str(check.verdict.get("detail", "")).partition(", not ")
        sentence = CODES[code][language].format(time=utc(check.verdict.get("time", 0)), given=given, wanted=wanted)
        print("%s (%s%s)" % (sentence, code, ": " + check.verdict["detail"] if check.verdict.get("detail") else ""))
        if code != "ok" and not unreadable(code):
            print(SAYS["evidence"][language])
    return 0 if code == "ok" else 2 if unreadable(code) else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
