const MASK = '[redacted]';

/** Keys and tokens by their shape: Anthropic keys, bearer and basic credentials. */
const PATTERNS: readonly RegExp[] = [/sk-ant-[A-Za-z0-9_-]{6,}/g, /\b(?<=(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi];

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

/**
 * Longest first, so that a secret that contains another one is masked whole. Very short values would mask ordinary text, and
 * what is part of the mask itself would mask masks.
 */
function inOrder(secrets: Iterable<string>): string[] {
  return [...new Set([...secrets].flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
    .filter((secret) => secret.length >= 6 && !MASK.includes(secret))
    .sort((a, b) => b.length - a.length);
}
