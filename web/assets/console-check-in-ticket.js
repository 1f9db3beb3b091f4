// Reads and verifies the text of a ticket's QR code without the server: a compact JWS (ES256).
const TYPE = 'fg-ticket+jwt';
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const json = (text) => JSON.parse(new TextDecoder().decode(bytes(text)));

/** The code that people type, as the server keeps it; empty for any other text. */
export function typed(text) {
  const plain = text.toLowerCase().replaceAll(/[- ]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9abcdefghjkmnpqrstvwxyz]{12}$/.test(plain) ? plain : '';
}

/** The code as people read it. */
export const readable = (id) => (id.toUpperCase().match(/.{4}/g) ?? [id]).join('-');

/**
 * {result: 'valid', id} or {result: 'forged' | 'other_sale' | 'unverified' | 'no_keys'}.
 * keys: the JWK set of the product, kept from an earlier connection; without them nothing can be verified.
 */
export async function verify(text, product, keys) {
  const parts = text.split('.');
  if (parts.length !== 3) return { result: typed(text) ? 'unverified' : 'forged' };
  try {
    const header = json(parts[0]);
    const claims = json(parts[1]);
    if (header.alg !== 'ES256' || header.typ !== TYPE) return { result: 'forged' };
    if (claims.aud !== product) return { result: 'other_sale' };
    const jwk = keys?.find((each) => each.kid === header.kid);
    if (!jwk) return { result: keys ? 'forged' : 'no_keys' };
    const { kty, crv, x, y } = jwk;
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, ALGORITHM, false, ['verify']);
    const signed = new TextEncoder().encode(parts[0] + '.' + parts[1]);
    const good = await crypto.subtle.verify(ALGORITHM, key, bytes(parts[2]), signed);
    return good ? { result: 'valid', id: claims.jti } : { result: 'forged' };
  } catch {
    return { result: 'forged' };
  }
}
