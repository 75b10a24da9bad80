/**
 * Removes the URL of the database and its password from all strings of a plain value. The agent's code may quote them in its errors,
 * which are stored where everyone who follows a turn can read them.
 */
export function databaseRedactor(databaseUrl: string, own: NodeJS.ProcessEnv = process.env): <T>(value: T) => T {
  const { long, short } = passwordsOf(databaseUrl, own);
  const parts = [databaseUrl, decoded(databaseUrl), ...long, ...short.map((password) => `:${password}@`)];
  // Longest first: the whole URL before the password in it.
  const secrets = parts.filter((part) => part !== '').sort((a, b) => b.length - a.length);
  const redacted = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return (value) => {
    const json = JSON.stringify(value);
    return json === undefined
      ? value
      : JSON.parse(json, (_, part: unknown) => (typeof part === 'string' ? redacted(part) : part));
  };
}

const REDACTED = '[redacted]';

/** The passwords, encoded and decoded. A short one occurs in many texts, so it only counts at its place in a URL. */
function passwordsOf(databaseUrl: string, own: NodeJS.ProcessEnv): { long: string[]; short: string[] } {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  const asWritten = url?.password ?? '';
  const all = [asWritten, decoded(asWritten), url?.searchParams.get('password') ?? '', own.PGPASSWORD ?? ''];
  const passwords = [...new Set(all)].filter((password) => password !== '');
  return {
    long: passwords.filter((password) => password.length >= MIN_DISTINCT_LENGTH),
    short: passwords.filter((password) => password.length < MIN_DISTINCT_LENGTH),
  };
}

const MIN_DISTINCT_LENGTH = 6;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
