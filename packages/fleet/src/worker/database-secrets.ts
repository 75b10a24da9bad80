import { passwordsOf, percentDecoded, urlOf } from '../database/passwords.ts';

/**
 * Returns a test for texts that open the database of the fleet: they contain its URL (also with other parameters), its password, or the
 * path of a file with a password or a key. Also finds them percent-encoded, escaped as in JSON, in base64, in hex, and in several of these.
 */
export function opensDatabase(databaseUrl: string, own: NodeJS.ProcessEnv): (text: string) => boolean {
  const address = addressOf(databaseUrl);
  const passwords = passwordsOf(databaseUrl, own);
  const files = filesOf(databaseUrl, own);
  const isOpen = (text: string): boolean =>
    (databaseUrl !== '' && text.includes(databaseUrl)) ||
    passwords.some((password) => containsPassword(text, password, address)) ||
    files.some((file) => containsPath(text, file)) ||
    DEFAULT_FILES.test(text) ||
    (address !== undefined && addressesIn(text).some((other) => isSameDatabase(address, other)));
  return (text) => decodedForms(text).some(isOpen);
}

/** The server, the user and the database of a URL. */
interface Address {
  readonly host: string;
  readonly port: string;
  readonly user: string | undefined;
  readonly database: string | undefined;
}

/** Files from which PostgreSQL's programs read passwords and keys. */
const DEFAULT_FILES = /[/\\](?:\.pgpass|pgpass\.conf|\.pg_service\.conf|postgresql\.key)(?![\w./-])/;

function filesOf(databaseUrl: string, own: NodeJS.ProcessEnv): string[] {
  const { searchParams } = urlOf(databaseUrl) ?? {};
  const given = ['passfile', 'sslkey', 'servicefile'].map((name) => searchParams?.get(name));
  return [...given, own.PGPASSFILE, own.PGSSLKEY, own.PGSERVICEFILE].flatMap((file) => file || []);
}

/**
 * A short password, or one that equals the name of the user, occurs in many texts: only the whole text, its place in a URL, or a quoted
 * or named value counts. A password of letters only counts as a whole word.
 */
function containsPassword(text: string, password: string, address: Address | undefined): boolean {
  if (!text.includes(password)) return false;
  const isKnown = [address?.user, address?.database, address?.host].includes(password);
  if (password.length >= MIN_DISTINCT_LENGTH && !isKnown)
    return !/^[a-z]+$/i.test(password) || inPlace(text, password, '(?<![a-z\\d])', '(?![a-z\\d])');
  if (text === password && !isKnown) return true;
  return text.includes(`:${password}@`) || inPlace(text, password, `passw(?:or)?d["']?\\s*[:=]\\s*["']?`, '(?!\\w)');
}

const MIN_DISTINCT_LENGTH = 6;

function containsPath(text: string, file: string): boolean {
  return text.includes(file) && inPlace(text, file, '(?<![\\w.-])', '(?![\\w./-])');
}

function inPlace(text: string, part: string, before: string, after: string): boolean {
  const literal = part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return new RegExp(`${before}${literal}${after}`, 'i').test(text);
}

/** Finds the addresses in a text: URLs, and settings such as `host=db user=app dbname=fleet`. */
function addressesIn(text: string): Address[] {
  const urls = text.match(/(?:postgres(?:ql)?(?:\+\w+)?|socket):[^\s"'`<>\\]+/gi) ?? [];
  const found = [...urls.map(addressOf), settingsIn(text)];
  return found.filter((address) => address !== undefined);
}

function settingsIn(text: string): Address | undefined {
  const value = (names: string): string | undefined =>
    new RegExp(`(?:^|[^a-z])(?:${names})\\s*=\\s*["']?([^\\s"';,&]+)`, 'i').exec(text)?.[1];
  const host = value('host|hostaddr|server');
  if (host === undefined) return undefined;
  const user = value('user|username|user id|uid');
  return addressWith(host, value('port'), user, value('dbname|database|db'));
}

function addressOf(text: string): Address | undefined {
  if (text.startsWith('/')) return addressWith(text.split(' ', 1)[0] ?? '', undefined, undefined, undefined);
  const url = urlOf(text);
  if (url === undefined) return undefined;
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  if (url.protocol === 'socket:')
    return addressWith(percentDecoded(url.pathname), undefined, percentDecoded(url.username), parameter('db'));
  return addressWith(
    parameter('host') ?? percentDecoded(url.hostname),
    parameter('port') ?? url.port,
    parameter('user') ?? percentDecoded(url.username),
    parameter('dbname') ?? percentDecoded(url.pathname.slice(1)),
  );
}

function addressWith(
  host: string,
  port: string | undefined,
  user: string | undefined,
  database: string | undefined,
): Address {
  const isHere = ['', 'localhost', '127.0.0.1', '::1', '[::1]'].includes(host);
  const known = user || undefined;
  // Without a database, a connection uses the one with the user's name.
  return {
    host: isHere ? 'localhost' : host.toLowerCase(),
    port: port || '5432',
    user: known,
    database: database || known,
  };
}

/** True for the same server and the same database or user. Another user of another database is allowed. */
function isSameDatabase(one: Address, other: Address): boolean {
  if (one.host !== other.host || one.port !== other.port) return false;
  const same = (name: 'user' | 'database'): boolean => one[name] === undefined || one[name] === other[name];
  return same('database') || (other.database === undefined && other.user === undefined) || same('user');
}

/** A text and its decoded forms; encodings may be nested. */
function decodedForms(text: string): string[] {
  const forms = new Set([text]);
  let latest = [text];
  for (let depth = 0; depth < MAX_DEPTH && latest.length > 0; depth += 1) {
    const decoded = latest.flatMap(decodings).filter((form) => !forms.has(form));
    for (const form of decoded) forms.add(form);
    // Most words decode to bytes that are no text.
    latest = decoded.filter((form) => !form.includes('\ufffd'));
  }
  return [...forms];
}

/** JSON in JSON in base64 in a URL. */
const MAX_DEPTH = 4;

function decodings(text: string): string[] {
  const base64 = text.match(/[\w+/-]{8,}={0,2}/g) ?? [];
  const hex = text.match(/(?:[\da-f]{2}){4,}/gi) ?? [];
  return [
    percentDecoded(text),
    jsonUnescaped(text),
    ...base64.map((token) => Buffer.from(token, 'base64').toString()),
    ...hex.map((token) => Buffer.from(token, 'hex').toString()),
  ];
}

function jsonUnescaped(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|(.))/gi, (_, code: string | undefined, char: string) =>
    code === undefined ? char : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
