// Verifies the beacon's signature: BLS12-381, signatures in G1 (RFC 9380 and the BLS draft), with big integers.
import { concat } from './bytes.js';
import { sha256 } from './hash.js';

const P = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
const R = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
// The curve's parameter is -X.
const X = 0xd201000000010000n;
const TAG = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_';
const SSWU_A = 0x144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1dn;
const SSWU_B = 0x12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0n;
// (1 + u)^((p - 1) / 6), for the Frobenius map.
const GAMMA = [
  0x1904d3bf02bb0667c231beb4202c0d1f0fd603fd3cbd5f4f7b2443d784bab9c4f67ea53d63e7813d8d0775ed92235fb8n,
  0x00fc3e2b36c4e03288e9e902231f9fb854a14787b6c7b36fec0c8ec971f63c5f282d5ac14d6c7ec22cf78a126ddc4af3n,
];
const G2_BASE = [
  [0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8n,
    0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7en],
  [0x0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801n,
    0x0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79ben],
];
// The 11-isogeny of RFC 9380, appendix E.2: numerator and denominator of x, then of y; lowest power first.
const ISOGENY = [
  `11a05f2b1e833340b809101dd99815856b303e88a2d7005ff2627b56cdb4e2c85610c2d5f2e62d6eaeac1662734649b7
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
  6e08c248e260e70bd1e962381edee3d31d79d7e22c837bc23c0bf1bc24c6b68c24b1b80b64d391fa9c8ba2e8ba2d229`,
  `8ca8d548cff19ae18b2e62f4bd3fa6f01d5ef4ba35b48ba9c9588617fc8ac62b558d681be343df8993cf9fa40d21b1c
  12561a5deb559c4348b4711298e536367041e8ca0cf0800c0126c2588c48bf5713daa8846cb026e9e5c8276ec82b3bff
  b2962fe57a3225e8137e629bff2991f6f89416f5a718cd1fca64e00b11aceacd6a3d0967c94fedcfcc239ba5cb83e19
  3425581a58ae2fec83aafef7c40eb545b08243f16b1655154cca8abc28d6fd04976d5243eecf5c4130de8938dc62cd8
  13a8e162022914a80a6f1d5f43e7a07dffdfc759a12062bb8d6b44e833b306da9bd29ba81f35781d539d395b3532a21e
  e7355f8e4e667b955390f7f0506c6e9395735e9ce9cad4d0a43bcef24b8982f7400d24bc4228f11c02df9a29f6304a5
  772caacf16936190f3e0c63e0596721570f5799af53a1894e2e073062aede9cea73b3538f0de06cec2574496ee84a3a
  14a7ac2a9d64a8b230b3f5b074cf01996e7f63c21bca68a81996e1cdf9822c580fa5b9489d11e2d311f7d99bbdcc5a5e
  a10ecf6ada54f825e920b3dafc7a3cce07f8d1d7161366b74100da67f39883503826692abba43704776ec3a79a1d641
  95fc13ab9e92ad4476d6e3eb3a56680f682b4ee96f7d03776df533978f31c1593174e4b4b7865002d6384d168ecdd0a
  1`,
  `90d97c81ba24ee0259d1f094980dcfa11ad138e48a869522b52af6c956543d3cd0c7aee9b3ba3c2be9845719707bb33
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
  15e6be4e990f03ce4ea50b3b42df2eb5cb181d8f84965a3957add4fa95af01b2b665027efec01c7704b456be69c8b604`,
  `16112c4c3a9c98b252181140fad0eae9601a6de578980be6eec3232b5be72e7a07f3688ef60c206d01479253b03663c1
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
  1`,
].map((rows) => rows.trim().split(/\s+/).map((row) => BigInt('0x' + row)));

// Numbers modulo p may be negative or a few times p between the steps; only comparisons need them in range.
const fp = (n) => ((n % P) + P) % P;

function power(base, exponent) {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % P;
    if (bit === '1') result = (result * base) % P;
  }
  return result;
}

function inverse(n) {
  let [a, b, x, y] = [fp(n), P, 1n, 0n];
  while (a > 1n) {
    const q = b / a;
    [a, b] = [b - q * a, a];
    [x, y] = [y - q * x, x];
  }
  return x;
}

/** A square root, or null. */
function root(n) {
  const r = power(fp(n), (P + 1n) / 4n);
  return fp(r * r - n) === 0n ? r : null;
}

// Fp2: pairs [a, b] for a + b*u, u^2 = -1. The functions with a "raw" result leave the products unreduced.
const add = (x, y) => [x[0] + y[0], x[1] + y[1]];
const sub = (x, y) => [x[0] - y[0], x[1] - y[1]];
const times = (x, n) => [x[0] * n, x[1] * n];
const xi = (x) => [x[0] - x[1], x[0] + x[1]];
const reduce = (x) => [x[0] % P, x[1] % P];
const isZero = (x) => x[0] % P === 0n && x[1] % P === 0n;

function rawMul(x, y) {
  const a = x[0] * y[0];
  const b = x[1] * y[1];
  return [a - b, (x[0] + x[1]) * (y[0] + y[1]) - a - b];
}

const rawSquare = (x) => [(x[0] + x[1]) * (x[0] - x[1]), 2n * x[0] * x[1]];
const mul = (x, y) => reduce(rawMul(x, y));
const square = (x) => reduce(rawSquare(x));

function inverse2(x) {
  const n = inverse(x[0] * x[0] + x[1] * x[1]);
  return reduce([x[0] * n, -x[1] * n]);
}

function root2(x) {
  if (x[1] === 0n) {
    const real = root(x[0]);
    return real !== null ? [real, 0n] : [0n, root(-x[0])];
  }
  const norm = root(x[0] * x[0] + x[1] * x[1]);
  if (norm === null) return null;
  for (const n of [norm, -norm]) {
    const a = root((x[0] + n) * (P + 1n) / 2n);
    if (a) return [a, fp(x[1] * inverse(2n * a))];
  }
  return null;
}

// Points [X, Y, Z] of y^2 = x^3 + b over Fp2, x = X/Z, y = Y/Z; Z = 0 is infinity. `twice3b` multiplies by 3b.
const onG1 = (x) => times(x, 12n);
const onG2 = (x) => times(xi(x), 12n);

/** The double of a point, and the line through it: the factors of 1, of x and of y at the other point. */
function double([x, y, z], times3b) {
  const b = square(y);
  const e = reduce(times3b(square(z)));
  const f = times(e, 3n);
  const h = times(mul(y, z), 2n);
  const point = [
    reduce(times(rawMul(mul(x, y), sub(b, f)), 2n)),
    reduce(sub(rawSquare(add(b, f)), times(rawSquare(e), 12n))),
    reduce(times(rawMul(b, h), 4n)),
  ];
  return { point, line: [sub(b, e), times(square(x), -3n), h] };
}

/** The sum of a point and an affine one, and the line through both. */
function plus([x, y, z], q) {
  const t = reduce(sub(y, rawMul(q[1], z)));
  const l = reduce(sub(x, rawMul(q[0], z)));
  const d = square(l);
  const e = mul(l, d);
  const g = mul(x, d);
  const h = reduce(sub(add(e, rawMul(z, square(t))), times(g, 2n)));
  const point = [mul(l, h), reduce(sub(rawMul(t, sub(g, h)), rawMul(e, y))), mul(z, e)];
  return { point, line: [reduce(sub(rawMul(t, q[0]), rawMul(l, q[1]))), times(t, -1n), l] };
}

/** n times an affine point; null when infinity came up before the end. */
function multiple(n, q, times3b) {
  let sum = [q[0], q[1], [1n, 0n]];
  const bits = n.toString(2).slice(1);
  for (let i = 0; i < bits.length; i++) {
    if (isZero(sum[2])) return null;
    sum = double(sum, times3b).point;
    if (bits[i] === '1') sum = plus(sum, q).point;
  }
  return sum;
}

const inGroup = (point, times3b) => {
  const end = multiple(R, point, times3b);
  return end !== null && isZero(end[2]);
};

function affine([x, y, z]) {
  const i = inverse2(z);
  return [mul(x, i).map(fp), mul(y, i).map(fp)];
}

const number = (bytes) => bytes.reduce((n, b) => n << 8n | BigInt(b), 0n);

/** A compressed point: x with three flags. Null for anything else than a point of the right group. */
function decompress(bytes, size, times3b) {
  if (bytes.length !== 48 * size || (bytes[0] & 0xc0) !== 0x80) return null;
  const top = number(Uint8Array.of(bytes[0] & 0x1f, ...bytes.subarray(1, 48)));
  const x = size === 1 ? [top, 0n] : [number(bytes.subarray(48)), top];
  if (x[0] >= P || x[1] >= P) return null;
  const y2 = add(mul(square(x), x), times3b === onG1 ? [4n, 0n] : [4n, 4n]).map(fp);
  const found = size === 1 ? [root(y2[0]), 0n] : root2(y2);
  if (!found || found[0] === null) return null;
  const y = found.map(fp);
  const other = y.map((n) => fp(-n));
  const larger = y[1] === other[1] ? y[0] > other[0] : y[1] > other[1];
  const point = [x, larger === Boolean(bytes[0] & 0x20) ? y : other];
  return inGroup(point, times3b) ? point : null;
}

// Hashing to G1.
function expand(message, tag, size) {
  const suffix = concat(tag, Uint8Array.of(tag.length));
  const first = sha256(new Uint8Array(64), message, Uint8Array.of(size >> 8, size & 255, 0), suffix);
  let block = sha256(first, Uint8Array.of(1), suffix);
  const blocks = [block];
  for (let i = 2; i <= size / 32; i++) {
    block = sha256(block.map((b, at) => b ^ first[at]), Uint8Array.of(i), suffix);
    blocks.push(block);
  }
  return concat(...blocks);
}

/** The simplified SWU map to the isogenous curve (RFC 9380, 6.6.2), then the isogeny. */
function mapToCurve(u) {
  const zu2 = fp(11n * u * u);
  const t = fp(zu2 * zu2 + zu2);
  const x1 = t ? fp(-SSWU_B * inverse(SSWU_A * t) * (t + 1n)) : fp(SSWU_B * inverse(11n * SSWU_A));
  const curve = (at) => fp((at * at + SSWU_A) * at + SSWU_B);
  let x = x1;
  let y = root(curve(x));
  if (y === null) {
    x = fp(zu2 * x1);
    y = root(curve(x));
  }
  if ((y & 1n) !== (u & 1n)) y = P - y;
  const [xn, xd, yn, yd] = ISOGENY.map((row) => row.reduceRight((value, c) => (value * x + c) % P, 0n));
  const i = inverse(xd * yd);
  return [[fp(xn * yd % P * i), 0n], [fp(y * yn % P * xd % P * i), 0n]];
}

export function hashToG1(message, tag = TAG) {
  const bytes = expand(message, new TextEncoder().encode(tag), 128);
  const [a, b] = [0, 64].map((at) => mapToCurve(number(bytes.subarray(at, at + 64)) % P));
  const sum = affine(plus([a[0], a[1], [1n, 0n]], b).point);
  return affine(multiple(X + 1n, sum, onG1));
}

// Fp6 = Fp2[v] / (v^3 - (1 + u)): three pairs. Fp12 = Fp6[w] / (w^2 - v): two of these.
const each = (op) => (x, y) => [op(x[0], y[0]), op(x[1], y[1]), op(x[2], y[2])];
const add6 = each(add);
const sub6 = each(sub);
const byV = (x) => [xi(x[2]), x[0], x[1]];
const reduce6 = (x) => x.map(reduce);

function rawMul6(x, y) {
  const a = rawMul(x[0], y[0]);
  const b = rawMul(x[1], y[1]);
  const c = rawMul(x[2], y[2]);
  return [
    add(a, xi(sub(rawMul(add(x[1], x[2]), add(y[1], y[2])), add(b, c)))),
    add(sub(rawMul(add(x[0], x[1]), add(y[0], y[1])), add(a, b)), xi(c)),
    add(sub(rawMul(add(x[0], x[2]), add(y[0], y[2])), add(a, c)), b),
  ];
}

/** The product with y[0] + y[1]*v. */
function rawMul01(x, y) {
  const a = rawMul(x[0], y[0]);
  const b = rawMul(x[1], y[1]);
  return [
    add(a, xi(sub(rawMul(add(x[1], x[2]), y[1]), b))),
    sub(rawMul(add(x[0], x[1]), add(y[0], y[1])), add(a, b)),
    add(sub(rawMul(add(x[0], x[2]), y[0]), a), b),
  ];
}

function mul12(f, g) {
  const a = rawMul6(f[0], g[0]);
  const b = rawMul6(f[1], g[1]);
  const both = rawMul6(add6(f[0], f[1]), add6(g[0], g[1]));
  return [reduce6(add6(a, byV(b))), reduce6(sub6(both, add6(a, b)))];
}

/** The product with a line: c0 + c2*w^2 + c3*w^3. */
function mulLine(f, c0, c2, c3) {
  const a = rawMul01(f[0], [c0, c2]);
  const b = byV(f[1].map((x) => rawMul(x, c3)));
  const both = rawMul01(add6(f[0], f[1]), [c0, add(c2, c3)]);
  return [reduce6(add6(a, byV(b))), reduce6(sub6(both, add6(a, b)))];
}

function square12(f) {
  const t = rawMul6(f[0], f[1]);
  const a = rawMul6(add6(f[0], f[1]), add6(f[0], byV(f[1])));
  return [reduce6(sub6(a, add6(t, byV(t)))), reduce6(add6(t, t))];
}

const conjugate = (f) => [f[0], f[1].map((x) => times(x, -1n))];

function inverse12([f, g]) {
  const [a, b, c] = reduce6(sub6(rawMul6(f, f), byV(rawMul6(g, g))));
  const x = reduce(sub(rawSquare(a), xi(rawMul(b, c))));
  const y = reduce(sub(xi(rawSquare(c)), rawMul(a, b)));
  const z = reduce(sub(rawSquare(b), rawMul(a, c)));
  const n = inverse2(reduce(add(rawMul(a, x), xi(add(rawMul(c, y), rawMul(b, z))))));
  const i = [x, y, z].map((part) => mul(part, n));
  return [reduce6(rawMul6(f, i)), reduce6(rawMul6(g.map((part) => times(part, -1n)), i))];
}

// GAMMA^i for the powers of w, in the order of the parts of Fp12: 0, 2, 4 and 1, 3, 5.
let powersOfGamma;

function frobenius(f) {
  if (!powersOfGamma) {
    powersOfGamma = [[1n, 0n]];
    for (let i = 1; i < 6; i++) powersOfGamma.push(mul(powersOfGamma[i - 1], GAMMA));
  }
  return f.map((part, odd) => part.map(([a, b], i) => mul([a, -b], powersOfGamma[2 * i + odd])));
}

/** The square of an element of norm one (Granger and Scott): three squares in Fp4. */
function squareOfUnit([[a, b, c], [d, e, f]]) {
  const fp4 = (x, y) => {
    const s = rawSquare(x);
    const t = rawSquare(y);
    return [add(s, xi(t)), sub(rawSquare(add(x, y)), add(s, t))];
  };
  const [a2, e2] = fp4(a, e);
  const [d2, c2] = fp4(d, c);
  const [b2, f2] = fp4(b, f);
  const even = (s, x) => reduce(sub(times(s, 3n), times(x, 2n)));
  const odd = (s, x) => reduce(add(times(s, 3n), times(x, 2n)));
  return [[even(a2, a), even(d2, b), even(b2, c)], [odd(xi(f2), d), odd(e2, e), odd(c2, f)]];
}

/** f to the power of the curve's parameter, for f of norm one. */
function toTheX(f) {
  let result = f;
  for (const bit of X.toString(2).slice(1)) {
    result = squareOfUnit(result);
    if (bit === '1') result = mul12(result, f);
  }
  return conjugate(result);
}

/** Whether the product of the pairings of these (G1, G2) is one. */
function productIsOne(pairs) {
  let f = [[[1n, 0n], [0n, 0n], [0n, 0n]], [[0n, 0n], [0n, 0n], [0n, 0n]]];
  const sums = pairs.map(([, q]) => [q[0], q[1], [1n, 0n]]);
  const step = (i, { point, line }) => {
    const [[x], [y]] = pairs[i][0];
    sums[i] = point;
    f = mulLine(f, line[0], reduce(times(line[1], x)), reduce(times(line[2], y)));
  };
  for (const bit of X.toString(2).slice(1)) {
    f = square12(f);
    pairs.forEach((_, i) => step(i, double(sums[i], onG2)));
    if (bit === '1') pairs.forEach(([, q], i) => step(i, plus(sums[i], q)));
  }
  // The final power: (p^6 - 1)(p^2 + 1), then 3(p^4 - p^2 + 1)/r = (x - 1)^2 (x + p)(x^2 + p^2 - 1) + 3.
  let g = mul12(conjugate(f), inverse12(f));
  g = mul12(frobenius(frobenius(g)), g);
  const minusOne = (t) => mul12(toTheX(t), conjugate(t));
  let t = minusOne(minusOne(g));
  t = mul12(toTheX(t), frobenius(t));
  t = mul12(mul12(toTheX(toTheX(t)), frobenius(frobenius(t))), conjugate(t));
  const [[one, ...rest], odd] = mul12(t, mul12(square12(g), g));
  return fp(one[0]) === 1n && fp(one[1]) === 0n && [...rest, ...odd].every(isZero);
}

/** Whether the signature, a point of G1, is the one of this key, a point of G2. */
export function blsHolds(publicKey, message, signature) {
  const s = decompress(signature, 1, onG1);
  const key = decompress(publicKey, 2, onG2);
  if (!s || !key) return false;
  const minus = [s[0], times(s[1], -1n)];
  return productIsOne([[minus, G2_BASE], [hashToG1(message), key]]);
}
