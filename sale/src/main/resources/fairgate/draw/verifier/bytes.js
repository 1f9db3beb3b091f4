// Bytes, texts and numbers, read strictly: one spelling of each value, everything else is malformed.

/** Input that is not what its format says. */
export class Malformed extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export const utf8 = (text) => encoder.encode(text);
export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

export function unhex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Malformed('hex');
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function concat(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function equal(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Compares byte strings of equal length. */
export function compare(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}

export function textOf(bytes) {
  let text;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new Malformed('utf-8');
  }
  if (/[\0-\x09\x0b-\x1f\x7f]/.test(text)) throw new Malformed('control character');
  return text;
}

export const base64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));

/** The bytes of standard base64 in its only spelling. */
export function unbase64(text, size) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    throw new Malformed('base64');
  }
  if (base64(bytes) !== text || (size !== undefined && bytes.length !== size)) throw new Malformed('base64');
  return bytes;
}

/** A decimal number without sign or leading zeros that a double can hold. */
export function wholeNumber(text) {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text) || !Number.isSafeInteger(Number(text))) throw new Malformed('number');
  return Number(text);
}

export function u64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}
