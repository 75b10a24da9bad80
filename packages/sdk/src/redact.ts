import { MASK, withoutSecretShapes } from '@coxswain/shared/secret-shapes';

/** Replaces secrets in a text. */
export type Redactor = (text: string) => string;

/** Creates a redactor for known secret values, plain, JSON-encoded and URL-encoded, and for secrets recognised by their shape. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  let known: readonly string[] | undefined;
  return (text) => {
    known ??= inOrder(secrets);
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, MASK);
    return withoutSecretShapes(clean);
  };
}

/**
 * Sorts secrets longest first, so that a secret that contains another one is masked completely. Drops very short values, which
 * would mask ordinary text, and parts of the mask, which would mask masks.
 */
function inOrder(secrets: Iterable<string>): string[] {
  return [...new Set([...secrets].flatMap(formsOf))]
    .filter((secret) => secret.length >= 6 && !MASK.includes(secret))
    .sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)];
  try {
    return [...forms, encodeURIComponent(secret)];
  } catch {
    // Half of a surrogate pair cannot be encoded.
    return forms;
  }
}

/**
 * Finds the secret values in environment variables, headers, settings or MCP server definitions, at any depth: values with a
 * name such as `token`, passwords in URLs, and every variable, header and URL part that an MCP server receives.
 */
export function secretsIn(record: Readonly<Record<string, unknown>> | undefined): string[] {
  const finder = new Finder();
  for (const [name, value] of Object.entries(record ?? {})) finder.look(name, value);
  return [...finder.found];
}

/** Names of variables, headers, flags and settings whose values are secrets. */
const SECRET_NAME = /key|token|secret|passw|passphrase|credential|authorization|cookie|(?:^|[_-])(?:auth|pat)$/i;

/** Names of counts and limits of keys or tokens, whose numbers are not secret. */
const COUNT_NAME = /(?:keys|tokens)$/i;

/** Names of variables that contain whole headers, like `ANTHROPIC_CUSTOM_HEADERS`. */
const HEADERS_NAME = /headers$/i;

/** Minimum length of a URL path segment that may be a token; `mcp`, `api` and `messages` are shorter. */
const TOKEN_LENGTH = 12;

/** Types of arguments; JSON may hold numbers instead of strings. */
const SIMPLE: ReadonlySet<string> = new Set(['string', 'number', 'bigint']);

class Finder {
  readonly found = new Set<string>();
  readonly #seen = new Set<object>();

  look(name: string, value: unknown): void {
    if (typeof value === 'string') return this.#text(name, value);
    if (typeof value === 'number' || typeof value === 'bigint') return this.#number(name, value);
    if (typeof value !== 'object' || value === null || this.#seen.has(value)) return;
    this.#seen.add(value);
    if (Array.isArray(value)) for (const item of value) this.look(name, item);
    else if (HEADERS_NAME.test(name)) this.#all(value);
    else if (isServer(value)) this.#server(value);
    // Everything below a secret name is secret.
    else for (const [key, field] of Object.entries(value)) this.look(SECRET_NAME.test(name) ? name : key, field);
  }

  #text(name: string, value: string): void {
    if (SECRET_NAME.test(name)) this.#secret(value);
    else if (HEADERS_NAME.test(name)) for (const header of headersIn(value)) this.#secret(header);
    this.#credentials(value);
  }

  /** Finds a PIN or a numeric password. Limits such as `maxTokens` are not secrets. */
  #number(name: string, value: number | bigint): void {
    if (SECRET_NAME.test(name) && !COUNT_NAME.test(name)) this.#secret(String(value));
  }

  #all(values: object): void {
    for (const value of Object.values(values)) {
      if (typeof value === 'number' || typeof value === 'bigint') this.#secret(String(value));
      if (typeof value !== 'string') continue;
      this.#secret(value);
      this.#credentials(value);
    }
  }

  #server({ env, args, headers, url, ...others }: Readonly<Record<string, unknown>>): void {
    for (const values of [env, headers]) if (typeof values === 'object' && values !== null) this.#all(values);
    if (Array.isArray(args)) this.#args(args.flatMap((arg) => (SIMPLE.has(typeof arg) ? String(arg) : [])));
    if (typeof url === 'string') this.#url(url);
    for (const [key, field] of Object.entries(others)) this.look(key, field);
  }

  /** `--api-key abc`, `--api-key=abc`, `TOKEN=abc`, `Authorization: Bearer abc`, URLs, and anything that looks like a token. */
  #args(args: readonly string[]): void {
    for (const [index, arg] of args.entries()) {
      const before = args[index - 1] ?? '';
      const [, name = '', value = ''] = /^([\w.-]+)\s*[=:]\s*(.+)$/s.exec(arg) ?? [];
      if (SECRET_NAME.test(name)) this.#secret(value);
      if (/^--?[\w-]+$/.test(before) && SECRET_NAME.test(before) && !arg.startsWith('-')) this.#secret(arg);
      if (/^[\w.~+=-]{16,}$/.test(arg) && /\d/.test(arg) && /[a-z]/i.test(arg) && !arg.startsWith('-'))
        this.#secret(arg);
      this.#credentials(arg);
    }
  }

  /** Any part of an MCP server's URL may be a token, except the host and short path segments. */
  #url(url: string): void {
    const [, path = '', query = '', fragment = ''] = /^[^/?#]*\/\/[^/?#]*([^?#]*)\??([^#]*)#?(.*)$/s.exec(url) ?? [];
    const parts = [
      ...path.split('/').filter((part) => part.length >= TOKEN_LENGTH),
      ...query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1)),
      query,
      fragment,
    ].filter((part) => part !== '');
    const before = this.found.size;
    this.#credentials(url);
    for (const part of parts) this.#encoded(part);
    if (parts.length > 0 || this.found.size > before) this.found.add(url);
  }

  /**
   * Finds `https://user:password@host`, `https://token@host` and `?token=abc` anywhere in a text. Adjacent parts of a pattern
   * must not match the same characters: that would take quadratic time.
   */
  #credentials(text: string): void {
    if (!text.includes('://')) return;
    for (const [, given = ''] of text.matchAll(/:\/\/([^\s/?#"'\\]*)@/g)) {
      const [user = '', ...rest] = given.split(':');
      const password = rest.join(':');
      if (password !== '') this.found.add(given);
      this.#encoded(password || user);
    }
    for (const [, name = '', value = ''] of text.matchAll(/[?&]([^\s=&#?]+)=([^\s&#"'\\]+)/g)) {
      if (SECRET_NAME.test(name)) this.#encoded(value);
    }
  }

  /** Adds a value, and the words after its first one: `Bearer abc` also appears as `abc`. */
  #secret(value: string): void {
    if (value === '') return;
    for (const part of [value, ...value.split(/\s+/).slice(1)]) this.found.add(part);
  }

  /** Adds a part of a URL, encoded and decoded. */
  #encoded(part: string): void {
    if (part === '') return;
    this.found.add(part);
    try {
      this.found.add(decodeURIComponent(part));
    } catch {
      // The part is not encoded.
    }
  }
}

/** True for the definition of an MCP server, or of a hook with the same fields. */
function isServer(value: object): value is Readonly<Record<string, unknown>> {
  return ('command' in value && typeof value.command === 'string') || ('url' in value && typeof value.url === 'string');
}

/** The values of headers in one text: lines of `A: b`, or `a=b,c=d`. */
function headersIn(text: string): string[] {
  const headers = text.split('\n').flatMap((line) => (/^[^=,]*:/.test(line) ? [line] : line.split(',')));
  return headers.map((header) => header.replace(/^[^:=]*[:=]\s*/, '').trim());
}
