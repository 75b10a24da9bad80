import { createRedactor, type Redactor, type StartRequest, secretsIn } from 'coxswain';
import { objectOf } from '../scripted/interpreter/json.ts';
import { frameOf } from './content.ts';
import { Places } from './places.ts';

/** What stands in the place of a secret. */
export const MASK = '[redacted]';

/** Takes out of a run what no cassette may hold: secrets, who is logged in, and the folders of the machine. */
export class Sanitiser {
  readonly places: Places;
  readonly #secrets: Set<string>;
  #redact: Redactor;

  constructor(request: StartRequest, secrets: readonly string[] = []) {
    this.places = new Places(request);
    this.#secrets = new Set([...secrets, ...secretsIn(request.env), ...request.privateFiles.flatMap(secretsInFile)]);
    this.#redact = this.#redactor();
  }

  /** A line, or anything else that was written at once. */
  clean(text: string): string {
    return this.places.hide(this.#redact(this.#maskFields(text)).replace(URL_CREDENTIALS, MASK));
  }

  /** The command line; a private file shows as its name. */
  argv({ argv, privateFiles }: StartRequest): readonly string[] {
    const files = new Map(privateFiles.map(({ argvIndex, name }) => [argvIndex, `<<coxswain:file:${name}>>`]));
    return argv.map((token, index) => files.get(index) ?? this.clean(token));
  }

  /** What is known by where it stands: variables and headers of servers, and the account. */
  #maskFields(text: string): string {
    if (!/"(?:env|headers|account)"/.test(text)) return text;
    const lineEnd = text.endsWith('\n') ? '\n' : '';
    const frame = frameOf(text.trimEnd());
    if (frame === undefined) return text;
    const found: string[] = [];
    const masked = maskedIn(frame, found);
    if (found.length === 0) return text;
    // The same value may come again elsewhere.
    for (const secret of found) this.#secrets.add(secret);
    this.#redact = this.#redactor();
    return JSON.stringify(masked) + lineEnd;
  }

  /** Bytes that are no text are looked at byte by byte, so each secret is known in that form too. */
  #redactor(): Redactor {
    const all = [...this.#secrets];
    return createRedactor([...all, ...all.map((secret) => Buffer.from(secret).toString('latin1'))]);
  }
}

/** `https://user:password@host` */
const URL_CREDENTIALS = /(?<=:\/\/)[^\s/@"'\\]+:[^\s/@"'\\]+(?=@)/g;

/** What the CLI says of an account that tells nothing about whose it is. */
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

/** `Bearer abc` is also shown as `abc`. */
function bareValue(value: string): string[] {
  return value.split(/\s+/).slice(1);
}

/** Files exist because of what is in them: MCP servers with variables or headers, settings. */
function secretsInFile({ content }: StartRequest['privateFiles'][number]): string[] {
  const found: string[] = [];
  const parsed = frameOf(content);
  if (parsed) maskedIn(parsed, found);
  for (const [credentials] of content.matchAll(URL_CREDENTIALS)) found.push(credentials);
  return found;
}
