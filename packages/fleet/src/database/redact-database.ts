import { passwordsOf, percentDecoded } from './passwords.ts';

/**
 * Removes the URL of the database and its password from all strings of a plain value. The agent's code may quote them in its errors,
 * which are stored where everyone who follows a turn can read them.
 */
export function databaseRedactor(databaseUrl: string, own: NodeJS.ProcessEnv = process.env): <T>(value: T) => T {
  // A short password occurs in many texts, so it only counts at its place in a URL.
  const passwords = passwordsOf(databaseUrl, own).flatMap((password) =>
    encodingsOf(password).map((text) => (password.length < MIN_DISTINCT_LENGTH ? `:${text}@` : text)),
  );
  const parts = new Set([databaseUrl, percentDecoded(databaseUrl), ...passwords]);
  // Longest first: the whole URL before the password in it.
  const secrets = [...parts].filter((part) => part !== '').sort((a, b) => b.length - a.length);
  const redacted = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return (value) => {
    const json = JSON.stringify(value);
    return json === undefined
      ? value
      : JSON.parse(json, (_, part: unknown) => (typeof part === 'string' ? redacted(part) : part));
  };
}

const REDACTED = '[redacted]';

const MIN_DISTINCT_LENGTH = 6;

/** A password, plain and percent-encoded, with upper-case and lower-case escapes. */
function encodingsOf(password: string): string[] {
  const escaped = encodeURIComponent(password.replace(/\p{Surrogate}/gu, '\ufffd'));
  return [password, escaped].flatMap((text) => [text, text.replace(/%[\da-f]{2}/gi, (hex) => hex.toLowerCase())]);
}
