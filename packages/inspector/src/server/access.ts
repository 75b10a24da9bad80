import { createHmac, timingSafeEqual } from 'node:crypto';
import { isNonce, pageProofs, proofOf } from '../programs/proof.ts';
import { Refusal } from '../refusal.ts';

/**
 * Returns the user of a request, whose name is recorded in the audit. Any other value refuses the request: `undefined`, a user
 * without a name.
 */
export type AuthHook = (
  request: Request,
) => Promise<{ readonly user: string } | undefined> | { readonly user: string } | undefined;

/** Who may talk to the server, and under which names it is known. */
export interface AccessRules {
  /** Exact values of the `Host` header. */
  readonly hosts: ReadonlySet<string>;
  /** Exact values of the `Origin` header. */
  readonly origins: ReadonlySet<string>;
  readonly token: string;
  /** The token in the announcement of this inspector, which opens it, too. */
  readonly announced: string | undefined;
  readonly auth: AuthHook | undefined;
}

/** What is known about a request that has passed the checks. */
export interface Env {
  Variables: { user: string };
}

/** The name in the audit for those who came with the token. */
export const LOCAL_USER = 'local';

/**
 * The header with the page's key. It is no cookie, because browsers send cookies to every port of a host: each server on this
 * machine would get it. A script of another origin cannot set it without asking first.
 */
const KEY_HEADER = 'x-coxswain-inspector';

/** Checks requests. Every check that fails throws a `Refusal`. */
export class Access {
  readonly #rules: AccessRules;

  constructor(rules: AccessRules) {
    this.#rules = rules;
  }

  /** A page of another site may have made its own name point here (DNS rebinding); then `Host` is that name. */
  checkHost(request: Request): void {
    const host = request.headers.get('host')?.toLowerCase() ?? '';
    if (!this.#rules.hosts.has(host)) {
      throw new Refusal(
        'wrong-host',
        `${JSON.stringify(host.slice(0, 100))} is not a host name of this inspector; add it to allowedHosts.`,
      );
    }
  }

  /** Other sites may send requests, but not from this origin, not with this header, and not as JSON. */
  checkSender(request: Request): void {
    const origin = request.headers.get('origin');
    if (request.method === 'GET' || request.method === 'HEAD') {
      const site = request.headers.get('sec-fetch-site');
      if (site === 'cross-site' || site === 'same-site') throw new Refusal('wrong-origin', OTHER_SITE);
      return;
    }
    if (origin === null || !this.#rules.origins.has(origin)) throw new Refusal('wrong-origin', OTHER_SITE);
    if (!request.headers.get(KEY_HEADER)) {
      throw new Refusal('missing-header', `A POST needs the header ${KEY_HEADER}: the key, or 1 if there is none.`);
    }
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) {
      throw new Refusal('missing-header', 'A POST needs the header content-type: application/json.');
    }
  }

  /** The name of the user. @throws Refusal */
  async user(request: Request): Promise<string> {
    const { auth } = this.#rules;
    if (auth) {
      // What is not a user refuses: a hook may return `false`, `null`, or what its types do not say.
      const known: unknown = await auth(request);
      const user = typeof known === 'object' && known !== null && 'user' in known ? known.user : undefined;
      if (typeof user === 'string' && user !== '') return user;
      throw new Refusal('not-logged-in', 'You are not logged in to the program that shows this inspector.');
    }
    if (!same(request.headers.get(KEY_HEADER) ?? '', this.#key())) {
      throw new Refusal('not-logged-in', 'Open the inspector with the complete printed address, including its #token.');
    }
    return LOCAL_USER;
  }

  /** Exchanges the token for the key. @throws Refusal */
  login(token: string): string {
    const { announced } = this.#rules;
    if (!same(token, this.#rules.token) && (announced === undefined || !same(token, announced)))
      throw new Refusal('wrong-token', 'The token is wrong. Copy the address again.');
    return this.#key();
  }

  /** Proves that this server has announced itself. @throws Refusal */
  prove(nonce: string): string {
    const { announced } = this.#rules;
    if (announced === undefined) throw new Refusal('not-found', 'There is nothing at this address.');
    checkNonce(nonce);
    return proofOf(announced, nonce);
  }

  /**
   * Proves to a page that this server knows its key, so that the page can send it. The page proves it first: strangers get
   * nothing by which they could guess the token. `host` is that in the address bar; it must be a name of this server, so that
   * another server cannot pass the question on. @throws Refusal
   */
  proveToPage({ host = '', nonce = '', proof = '' }: Readonly<Record<string, string>>): string {
    checkNonce(nonce);
    const { page, server } = pageProofs(this.#key(), host, nonce);
    if (this.#rules.auth || !this.#rules.hosts.has(host) || !same(proof, page)) {
      throw new Refusal('not-logged-in', 'The key is not valid for this server.');
    }
    return server;
  }

  /** Not the token itself; the same after a restart with the same token. */
  #key(): string {
    return createHmac('sha256', this.#rules.token).update('coxswain inspector key').digest('base64url');
  }
}

/** @throws Refusal */
function checkNonce(nonce: string): void {
  if (!isNonce(nonce)) throw new Refusal('bad-request', 'nonce must have 16 to 64 letters and digits.');
}

const OTHER_SITE = 'This request came from another site, or has no Origin.';

/** Compares in constant time; digests have the same length. */
function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
