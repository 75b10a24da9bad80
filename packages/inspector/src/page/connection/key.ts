/**
 * The key of the server. It is kept for this origin, which includes the port and so is that of one server, and is sent only to a
 * server that has proven that it knows it: when a program ends, another one may get its port.
 */

/** What is sent to a server that has a login of its own, or is not the one of the key. */
const NO_KEY = '1';

/** Two inspectors behind one proxy have one origin. */
const PLACE = `coxswain inspector ${new URL('.', location.href).pathname}`;

/** Where browsers keep nothing, the key is kept until the page is left. */
let inMemory: string | null = null;
/** A server that does not answer for this long cannot be reached. */
const PROOF_MS = 20_000;
let proven: { readonly key: string; readonly holds: Promise<boolean> } | undefined;

/** Keeps the key of a server that has just let this page in. */
export function keepKey(key: string): void {
  inMemory = key;
  proven = { key, holds: Promise.resolve(true) };
  try {
    localStorage.setItem(PLACE, key);
  } catch {
    // It stays in memory.
  }
}

/** The connection was lost: what answers next may be another program. */
export function doubtServer(): void {
  proven = undefined;
}

/** What to send as `x-coxswain-inspector`. Rejects if the server cannot be reached. */
export async function keyToSend(): Promise<string> {
  const key = keptKey();
  if (key === null) return NO_KEY;
  if (proven?.key !== key) proven = { key, holds: knowsKey(key) };
  const asked = proven;
  try {
    return (await asked.holds) ? key : NO_KEY;
  } catch (error) {
    if (proven === asked) proven = undefined;
    throw error;
  }
}

/** Another tab may have logged in since. */
function keptKey(): string | null {
  try {
    return localStorage.getItem(PLACE) ?? inMemory;
  } catch {
    return inMemory;
  }
}

/** Asks the server to prove that it knows the key; `pageProofs` is its side. */
async function knowsKey(key: string): Promise<boolean> {
  // Without HTTPS, and not on this machine: the network can read the key anyway.
  if (!window.isSecureContext) return true;
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(24)));
  const signer = await crypto.subtle.importKey('raw', bytesOf(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = async (side: 'page' | 'server'): Promise<string> => {
    const text = `coxswain inspector ${side} ${location.host} ${nonce}`;
    return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', signer, bytesOf(text))));
  };
  const query = new URLSearchParams({ host: location.host, nonce, proof: await signed('page') });
  const answer = await fetch(`api/proof?${query}`, {
    credentials: 'same-origin',
    signal: AbortSignal.timeout(PROOF_MS),
  });
  return answer.ok && (await answer.text()) === (await signed('server'));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
