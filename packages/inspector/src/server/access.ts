import { createHmac, timingSafeEqual } from 'node:crypto';
import { proofOf } from '../programs/proof.ts';
import { Refusal } from '../refusal.ts';

/** Decides who a request comes from: the name for the audit, or undefined to refuse it. */
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
  readonly cookieName: string;
  readonly basePath: string;
}

/** The name in the audit for those who came with the token. */
export const LOCAL_USER = 'local';

/** The header that only a script of this origin can send without asking first. */
const CSRF_HEADER = 'x-coxswain-inspector';

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
        `This inspector is not known as ${JSON.stringify(host.slice(0, 100))}; add it to allowedHosts.`,
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
    if (request.headers.get(CSRF_HEADER) !== '1') {
      throw new Refusal('missing-header', `A POST needs the header ${CSRF_HEADER}: 1.`);
    }
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) {
      throw new Refusal('missing-header', 'A POST needs the header content-type: application/json.');
    }
  }

  /** The name of the user. @throws Refusal */
  async user(request: Request): Promise<string> {
    const { auth } = this.#rules;
    if (auth) {
      const known = await auth(request);
      if (known !== undefined) return known.user;
      throw new Refusal('not-logged-in', 'You are not logged in to the program that shows this inspector.');
    }
    if (!same(cookieIn(request, this.#rules.cookieName), this.#cookie())) {
      throw new Refusal(
        'not-logged-in',
        'Open the inspector with the whole address that was printed, with its #token.',
      );
    }
    return LOCAL_USER;
  }

  /** Exchanges the token for the cookie. @throws Refusal */
  login(token: string, isHttps: boolean): string {
    const { cookieName, basePath, announced } = this.#rules;
    if (!same(token, this.#rules.token) && (announced === undefined || !same(token, announced)))
      throw new Refusal('wrong-token', 'The token is wrong. Copy the address again.');
    const secure = isHttps ? '; Secure' : '';
    return `${cookieName}=${this.#cookie()}; Path=${basePath}/; HttpOnly; SameSite=Strict${secure}`;
  }

  /** Proves that this server has announced itself. @throws Refusal */
  prove(nonce: string): string {
    const { announced } = this.#rules;
    if (announced === undefined) throw new Refusal('not-found', 'There is nothing at this address.');
    if (!/^[\w-]{16,64}$/.test(nonce)) throw new Refusal('bad-request', 'nonce must have 16 to 64 letters and digits.');
    return proofOf(announced, nonce);
  }

  /** Not the token itself; the same after a restart with the same token. */
  #cookie(): string {
    return createHmac('sha256', this.#rules.token).update('coxswain inspector cookie').digest('base64url');
  }
}

const OTHER_SITE = 'This request came from another site, or did not say from where.';

function cookieIn(request: Request, name: string): string {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=');
    if (key === name) return value;
  }
  return '';
}

/** Compares in constant time; digests have the same length. */
function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
