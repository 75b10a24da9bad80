import { passwordsOf, percentDecoded } from './passwords.ts';

/**
 * Removes the URL of the database and its password from all texts of a plain value. Code of the agent may quote them in its errors,
 * which are stored where everyone who follows a turn can read them.
 */
export function databaseRedactor(databaseUrl: string, own: NodeJS.ProcessEnv = process.env): <T>(value: T) => T {
  // A short password is part of many texts, so only its place in a URL counts.
  const passwords = passwordsOf(databaseUrl, own).flatMap((password) =>
    writingsOf(password).map((text) => (password.length < DISTINCT ? `:${text}@` : text)),
  );
  const parts = new Set([databaseUrl, percentDecoded(databaseUrl), ...passwords]);
  // The whole URL before the password in it.
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

const DISTINCT = 6;

/** A password as it is, and as URLs write it: with all escapes or with those that are needed, in capitals or not. */
function writingsOf(password: string): string[] {
  const escaped = encodeURIComponent(password.replace(/\p{Surrogate}/gu, '\ufffd'));
  return [password, escaped].flatMap((text) => [text, text.replace(/%[\da-f]{2}/gi, (hex) => hex.toLowerCase())]);
}
