import { createRedactor, type StartRequest, secretsIn } from 'coxswain/transport';
import { type JsonObject, objectOf } from '../json.ts';
import { frameOf } from './content.ts';
import { Places } from './places.ts';
import { isPayload, isStructure } from './structure.ts';

/** Replacement for a secret. */
export const MASK = '[redacted]';

/** Maximum number of values from frames that are searched for elsewhere. */
const MOST_LEARNED = 200;

/** Removes secrets, the logged-in account and the folders of the machine from a run. */
export class Sanitiser {
  readonly places: Places;
  /** The secrets in the options, the environment and the writes of the host. */
  readonly #given: Set<string>;
  readonly #learned = new Set<string>();
  #redact: (text: string) => string;

  constructor(request: StartRequest, secrets: readonly string[] = []) {
    this.places = new Places(request);
    this.#given = new Set([...secrets, ...secretsIn(request.env), ...request.privateFiles.flatMap(secretsInFile)]);
    this.#redact = this.#redactor();
  }

  /** Cleans a write of the host, which may contain further secrets. */
  written(text: string): string {
    const request = objectOf(frameOf(text.trimEnd())?.request);
    const secrets = request === undefined ? [] : secretsIn({ given: givenBy(request) });
    const known = this.#given.size;
    for (const secret of secrets) this.#given.add(secret);
    if (this.#given.size > known) this.#redact = this.#redactor();
    return this.clean(text);
  }

  /** Cleans a line or any other single write. */
  clean(text: string): string {
    return this.places.hide(this.#cleanFrame(text) ?? this.#cleanText(text));
  }

  /** Cleans the command line. A private file appears by its name, and flags stay unchanged. */
  argv({ argv, privateFiles }: StartRequest): readonly string[] {
    const files = new Map(privateFiles.map(({ argvIndex, name }) => [argvIndex, `<<coxswain:file:${name}>>`]));
    return argv.map((token, index) => {
      const [flag = ''] = /^--[a-z][a-z-]*(?:=|$)/.exec(token) ?? [];
      return files.get(index) ?? flag + this.clean(token.slice(flag.length));
    });
  }

  /** Cleans each value of a frame; `undefined` if it is not a frame. */
  #cleanFrame(text: string): string | undefined {
    const line = text.trimEnd();
    const frame = frameOf(line);
    if (frame === undefined) return undefined;
    try {
      const found: string[] = [];
      const masked = maskedIn(frame, found);
      // The same value may occur elsewhere.
      this.#learn(found);
      const clean = JSON.stringify(this.#cleanValue('', masked, false));
      // Keep it as written, including spaces, if nothing was removed and no duplicate key hides anything.
      const untouched = clean === line || (clean === JSON.stringify(frame) && this.#cleanText(line) === line);
      return untouched ? text : clean + text.slice(line.length);
    } catch {
      // It is nested too deeply to traverse.
      return undefined;
    }
  }

  #cleanValue(key: string, value: unknown, payload: boolean): unknown {
    if (typeof value === 'string') return !payload && this.#stays(key, value) ? value : this.#cleanText(value);
    if (Array.isArray(value)) return value.map((item) => this.#cleanValue(key, item, payload));
    const object = objectOf(value);
    if (object === undefined) return value;
    return Object.fromEntries(
      Object.entries(object).map(([name, field]) => [
        name,
        this.#cleanValue(name, field, payload || isPayload(name, object)),
      ]),
    );
  }

  #stays(key: string, text: string): boolean {
    if (!isStructure(key, text)) return false;
    // An id may contain a secret by chance; an id that equals the secret is a secret.
    return !/\d/.test(text) || this.#redact(text) !== MASK;
  }

  #cleanText(text: string): string {
    return this.#redact(text).replace(URL_CREDENTIALS, MASK);
  }

  /**
   * Keeps secret values from frames, which are masked in every later text. The CLI chooses their number, so only the newest
   * are kept. A value in its own field is always masked.
   */
  #learn(secrets: readonly string[]): void {
    const fresh = secrets.filter((secret) => !this.#given.has(secret) && !this.#learned.has(secret));
    if (fresh.length === 0) return;
    for (const secret of fresh.slice(-MOST_LEARNED)) this.#learned.add(secret);
    for (const oldest of this.#learned) {
      if (this.#learned.size <= MOST_LEARNED) break;
      this.#learned.delete(oldest);
    }
    this.#redact = this.#redactor();
  }

  /** Bytes that are not text are searched byte by byte, so each secret is also registered in that form. */
  #redactor(): (text: string) => string {
    const all = [...this.#given, ...this.#learned];
    return createRedactor([...all, ...all.map((secret) => Buffer.from(secret).toString('latin1'))]);
  }
}

/** The parts of a request that may contain secrets: of a handshake, only servers. */
function givenBy(request: JsonObject): unknown {
  if (request.subtype !== 'initialize') return request;
  const agents = Object.values(objectOf(request.agents) ?? {});
  return [request.mcpServers, ...agents.map((agent) => objectOf(agent)?.mcpServers)];
}

/** `https://user:password@host`. The user must not contain a colon: otherwise a text without `@` would take quadratic time. */
const URL_CREDENTIALS = /(?<=:\/\/)[^\s/@"'\\:]+:[^\s/@"'\\]+(?=@)/g;

/** Account fields that do not identify its owner. */
const HARMLESS: ReadonlySet<string> = new Set(['subscriptionType', 'tokenSource', 'apiKeySource', 'apiProvider']);

function maskedIn(value: unknown, found: string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => maskedIn(item, found));
  const object = objectOf(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).map(([key, field]) => {
      const fields = SECRET_FIELDS.has(key) ? objectOf(field) : undefined;
      return [key, fields ? maskedValues(fields, found, key) : maskedIn(field, found)];
    }),
  );
}

const SECRET_FIELDS: ReadonlySet<string> = new Set(['env', 'headers', 'account']);

function maskedValues(fields: Readonly<Record<string, unknown>>, found: string[], key: string): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== 'string') return [name, maskedIn(value, found)];
      if (key === 'account' && HARMLESS.has(name)) return [name, value];
      if (value !== MASK) found.push(value, ...bareValue(value));
      return [name, MASK];
    }),
  );
}

/** `Bearer abc` also appears as `abc`. */
function bareValue(value: string): string[] {
  return value.split(/\s+/).slice(1);
}

/** The secrets in private files with MCP servers or settings. */
function secretsInFile({ content }: StartRequest['privateFiles'][number]): string[] {
  const found: string[] = [];
  const parsed = frameOf(content);
  if (parsed) {
    maskedIn(parsed, found);
    found.push(...secretsIn({ parsed }));
  }
  for (const [credentials] of content.matchAll(URL_CREDENTIALS)) found.push(credentials);
  return found;
}
