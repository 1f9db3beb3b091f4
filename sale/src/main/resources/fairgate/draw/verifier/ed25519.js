// Verifies Ed25519 signatures (RFC 8032) with big integers, because not every browser has them.
import { concat } from './bytes.js';
import { sha512 } from './hash.js';

const ED_P = 2n ** 255n - 19n;
const ED_L = 2n ** 252n + 27742317777372353535851937790883648493n;
const edMod = (n) => ((n % ED_P) + ED_P) % ED_P;

function edPower(base, exponent) {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % ED_P;
    if (bit === '1') result = (result * base) % ED_P;
  }
  return result;
}

const ED_D = edMod(-121665n * edPower(121666n, ED_P - 2n));
const ED_I = edPower(2n, (ED_P - 1n) / 4n);

const littleEndian = (bytes) => bytes.reduceRight((n, b) => n << 8n | BigInt(b), 0n);

function edPoint(bytes) {
  const number = littleEndian(bytes);
  const y = BigInt.asUintN(255, number);
  const sign = number >> 255n;
  if (y >= ED_P) return null;
  // x^2 = u/v; the root is u v^3 (u v^7)^((p-5)/8), perhaps times the root of -1.
  const u = edMod(y * y - 1n);
  const v = edMod(ED_D * y * y + 1n);
  let x = edMod(u * v ** 3n * edPower(edMod(u * v ** 7n), (ED_P - 5n) / 8n));
  if (edMod(v * x * x - u)) x = edMod(x * ED_I);
  if (edMod(v * x * x - u) || (x === 0n && sign)) return null;
  if ((x & 1n) !== sign) x = ED_P - x;
  return [x, y, 1n, edMod(x * y)];
}

function edAdd(p, q) {
  const a = (p[1] - p[0]) * (q[1] - q[0]) % ED_P;
  const b = (p[1] + p[0]) * (q[1] + q[0]) % ED_P;
  const c = p[3] * q[3] % ED_P * 2n * ED_D % ED_P;
  const d = 2n * p[2] * q[2] % ED_P;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [e * f % ED_P, g * h % ED_P, f * g % ED_P, e * h % ED_P];
}

const ED_BASE = edPoint(Uint8Array.from({ length: 32 }, (_, i) => (i ? 0x66 : 0x58)));

export function ed25519Holds(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  const s = littleEndian(signature.subarray(32));
  const a = edPoint(key);
  const r = edPoint(signature.subarray(0, 32));
  if (!a || !r || s >= ED_L) return false;
  const k = littleEndian(sha512(concat(signature.subarray(0, 32), key, message))) % ED_L;
  // s*B - k*A must be R; both multiples are computed in one loop.
  const minus = [-a[0], a[1], a[2], -a[3]];
  const both = edAdd(ED_BASE, minus);
  let sum = [0n, 1n, 1n, 0n];
  for (let bit = 252n; bit >= 0n; bit--) {
    sum = edAdd(sum, sum);
    const which = Number((s >> bit & 1n) + 2n * (k >> bit & 1n));
    if (which) sum = edAdd(sum, [ED_BASE, minus, both][which - 1]);
  }
  return edMod(sum[0] - r[0] * sum[2]) === 0n && edMod(sum[1] - r[1] * sum[2]) === 0n;
}
