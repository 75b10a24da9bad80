/**
 * The key of the server. It is stored for this origin, which includes the port and thus identifies one server. It is sent only to a
 * server that has proved that it has the key: when a program exits, another one may get its port.
 */

/** Sent to a server with its own login, and to a server without the key. */
const NO_KEY = '1';

/** The storage key. It includes the path, because two inspectors behind one proxy share an origin. */
const PLACE = `coxswain inspector ${new URL('.', location.href).pathname}`;

/** If the browser's storage is off, the key is kept until the page closes. */
let inMemory: string | null = null;
/** Time after which a server without a response counts as unreachable. */
const PROOF_MS = 20_000;
let proven: { readonly key: string; readonly holds: Promise<boolean> } | undefined;

/** Stores the key of a server after the login. */
export function keepKey(key: string): void {
  inMemory = key;
  proven = { key, holds: Promise.resolve(true) };
  try {
    localStorage.setItem(PLACE, key);
  } catch {
    // The key stays in memory.
  }
}

/** Requires a new proof: after a lost connection, another program may respond. */
export function requireProof(): void {
  proven = undefined;
}

/** The value for `x-coxswain-inspector`. Rejects if the server is unreachable. */
export async function keyToSend(): Promise<string> {
  const key = keptKey();
  if (key === null) return NO_KEY;
  if (proven?.key !== key) proven = { key, holds: hasKey(key) };
  const asked = proven;
  try {
    return (await asked.holds) ? key : NO_KEY;
  } catch (error) {
    if (proven === asked) proven = undefined;
    throw error;
  }
}

/** Another tab may have logged in in the meantime. */
function keptKey(): string | null {
  try {
    return localStorage.getItem(PLACE) ?? inMemory;
  } catch {
    return inMemory;
  }
}

/** Asks the server to prove that it has the key; `pageProofs` is the server's part. */
async function hasKey(key: string): Promise<boolean> {
  // Without HTTPS, and not on this machine, the network can read the key anyway.
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
