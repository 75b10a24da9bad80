/**
 * The values nobody may see in environment variables, headers, settings, or definitions of MCP servers, at any depth: those
 * with a telling name, passwords in URLs, and all that an MCP server gets as a variable, a header or part of its URL.
 */
export function secretsIn(record: Readonly<Record<string, unknown>> | undefined): string[] {
  const finder = new Finder();
  for (const [name, value] of Object.entries(record ?? {})) finder.look(name, value);
  return [...finder.found];
}

/** Names of variables, headers, flags and settings whose values are secrets. */
const SECRET_NAME = /key|token|secret|passw|passphrase|credential|authorization|cookie|(?:^|[_-])(?:auth|pat)$/i;

/** Names of variables that hold whole headers, as `ANTHROPIC_CUSTOM_HEADERS` does. */
const HEADERS_NAME = /headers$/i;

/** A part of a URL's path that is as long as this may be a token; `mcp`, `api` and `messages` are none. */
const TOKEN_LENGTH = 12;

class Finder {
  readonly found = new Set<string>();
  readonly #seen = new Set<object>();

  look(name: string, value: unknown): void {
    if (typeof value === 'string') return this.#text(name, value);
    if (typeof value !== 'object' || value === null || this.#seen.has(value)) return;
    this.#seen.add(value);
    if (Array.isArray(value)) for (const item of value) this.look(name, item);
    else if (HEADERS_NAME.test(name)) this.#all(value);
    else if (isServer(value)) this.#server(value);
    // What stands below a telling name is as secret as that name says.
    else for (const [key, field] of Object.entries(value)) this.look(SECRET_NAME.test(name) ? name : key, field);
  }

  #text(name: string, value: string): void {
    if (SECRET_NAME.test(name)) this.#secret(value);
    else if (HEADERS_NAME.test(name)) for (const header of headersIn(value)) this.#secret(header);
    this.#credentials(value);
  }

  #all(values: object): void {
    for (const value of Object.values(values)) {
      if (typeof value !== 'string') continue;
      this.#secret(value);
      this.#credentials(value);
    }
  }

  #server({ env, args, headers, url, ...others }: Readonly<Record<string, unknown>>): void {
    for (const values of [env, headers]) if (typeof values === 'object' && values !== null) this.#all(values);
    if (Array.isArray(args)) this.#args(args.filter((arg) => typeof arg === 'string'));
    if (typeof url === 'string') this.#url(url);
    for (const [key, field] of Object.entries(others)) this.look(key, field);
  }

  /** `--api-key abc`, `--api-key=abc`, `TOKEN=abc`, `Authorization: Bearer abc`, URLs, and what looks like a token. */
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

  /** The URL of an MCP server: any part of it but the host and short words of the path may be a token. */
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

  /** `https://user:password@host`, `https://token@host` and `?token=abc`, wherever they stand in a text. */
  #credentials(text: string): void {
    for (const [, user = '', password = ''] of text.matchAll(/:\/\/([^\s/?#:"'\\]*):?([^\s/?#"'\\]*)@/g)) {
      if (password === '') this.#encoded(user);
      else {
        this.found.add(`${user}:${password}`);
        this.#encoded(password);
      }
    }
    if (!text.includes('://')) return;
    for (const [, name = '', value = ''] of text.matchAll(/[?&]([^\s=&#]+)=([^\s&#"'\\]+)/g)) {
      if (SECRET_NAME.test(name)) this.#encoded(value);
    }
  }

  /** A value, and what follows its first word: `Bearer abc` is also shown as `abc`. */
  #secret(value: string): void {
    if (value === '') return;
    for (const part of [value, ...value.split(/\s+/).slice(1)]) this.found.add(part);
  }

  /** A part of a URL, as it stands there and as it is meant. */
  #encoded(part: string): void {
    if (part === '') return;
    this.found.add(part);
    try {
      this.found.add(decodeURIComponent(part));
    } catch {
      // Not encoded, then.
    }
  }
}

/** A definition of an MCP server, or of a hook, which has the same fields. */
function isServer(value: object): value is Readonly<Record<string, unknown>> {
  return ('command' in value && typeof value.command === 'string') || ('url' in value && typeof value.url === 'string');
}

/** The values of headers in one text: `A: b` on lines of their own, or `a=b,c=d`. */
function headersIn(text: string): string[] {
  const headers = text.split('\n').flatMap((line) => (/^[^=,]*:/.test(line) ? [line] : line.split(',')));
  return headers.map((header) => header.replace(/^[^:=]*[:=]\s*/, '').trim());
}
