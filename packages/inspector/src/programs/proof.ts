import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a program has to prove itself. */
const PROOF_MS = 1_000;

/** What the holder of a token answers to a number that was never used before. It does not reveal the token. */
export function proofOf(token: string, nonce: string): string {
  return signed(token, `hello ${nonce}`);
}

/** How a page and its server prove to each other that they know the key. `host` is that of the address in the browser. */
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
 * Whether the server at an address knows the token. After a program was killed, its port may belong to another one, even of
 * another user, which must not get the token. Never rejects.
 */
export async function isHolder(url: string, token: string): Promise<boolean> {
  const nonce = randomBytes(24).toString('base64url');
  try {
    const signal = AbortSignal.timeout(PROOF_MS);
    const answer = await fetch(new URL(`api/hello?nonce=${nonce}`, url), { signal, redirect: 'error' });
    // The first piece is enough for a proof; a stranger may send without end.
    const reader = answer.body?.getReader();
    const given = (await reader?.read())?.value ?? new Uint8Array();
    await reader?.cancel();
    const expected = Buffer.from(proofOf(token, nonce));
    return given.length === expected.length && timingSafeEqual(given, expected);
  } catch {
    return false;
  }
}
