import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time a program has to prove its identity. */
const PROOF_MS = 1_000;

/** The response of the token's holder to a nonce. It does not reveal the token. */
export function proofOf(token: string, nonce: string): string {
  return signed(token, `hello ${nonce}`);
}

/** The proofs by which a page and its server show each other that they have the key. `host` is the one in the browser's URL. */
export function pageProofs(
  key: string,
  host: string,
  nonce: string,
): { readonly page: string; readonly server: string } {
  return { page: signed(key, `page ${host} ${nonce}`), server: signed(key, `server ${host} ${nonce}`) };
}

export function isNonce(text: string): boolean {
  return /^[\w-]{16,64}$/.test(text);
}

function signed(secret: string, text: string): string {
  return createHmac('sha256', secret).update(`coxswain inspector ${text}`).digest('base64url');
}

/**
 * Whether the server at a URL has the token. After a program was killed, its port may belong to another program, even of
 * another user, which must not receive the token. Never rejects.
 */
export async function isHolder(url: string, token: string): Promise<boolean> {
  const nonce = randomBytes(24).toString('base64url');
  try {
    const signal = AbortSignal.timeout(PROOF_MS);
    const answer = await fetch(new URL(`api/hello?nonce=${nonce}`, url), { signal, redirect: 'error' });
    // A proof fits in the first chunk; an unknown server may send endlessly.
    const reader = answer.body?.getReader();
    const given = (await reader?.read())?.value ?? new Uint8Array();
    await reader?.cancel();
    const expected = Buffer.from(proofOf(token, nonce));
    return given.length === expected.length && timingSafeEqual(given, expected);
  } catch {
    return false;
  }
}
