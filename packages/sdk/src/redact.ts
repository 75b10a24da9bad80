const MASK = '[redacted]';

/** Keys and tokens by their shape: Anthropic keys, bearer and basic credentials. */
const PATTERNS: readonly RegExp[] = [/sk-ant-[A-Za-z0-9_-]{6,}/g, /\b(?<=(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi];

/** Names of environment variables and headers whose values are secrets. */
const SECRET_NAME = /key|token|secret|passw|credential|authorization|cookie/i;

/** Replaces secrets in a text. */
export type Redactor = (text: string) => string;

/** Makes a redactor for known secret values, as they are and as JSON writes them, on top of what is recognised by its shape. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  let known: readonly string[] | undefined;
  return (text) => {
    known ??= inOrder(secrets);
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, MASK);
    for (const pattern of PATTERNS) clean = clean.replace(pattern, MASK);
    return clean;
  };
}

/** Longest first, so that a secret that contains another one is masked whole; very short values would mask ordinary text. */
function inOrder(secrets: Iterable<string>): string[] {
  return [...new Set([...secrets].flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
    .filter((secret) => secret.length >= 6)
    .sort((a, b) => b.length - a.length);
}

/** The values of `record` that look like secrets by their name. */
export function secretsIn(record: Readonly<Record<string, unknown>> | undefined): string[] {
  const found: string[] = [];
  for (const [name, value] of Object.entries(record ?? {})) {
    if (typeof value === 'string' && SECRET_NAME.test(name)) found.push(value);
  }
  return found;
}
