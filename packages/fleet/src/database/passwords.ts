/** The passwords of a database: encoded as in its URL, decoded, and `PGPASSWORD`. */
export function passwordsOf(databaseUrl: string, own: NodeJS.ProcessEnv): string[] {
  // Without a URL parser: `pg` also accepts URLs without a host, which parsers refuse.
  const [, userInfo = ''] = /^[a-z]+:\/\/([^/?#]*)@/i.exec(databaseUrl) ?? [];
  const written = userInfo.includes(':') ? userInfo.slice(userInfo.indexOf(':') + 1) : '';
  const parameter = urlOf(databaseUrl)?.searchParams.get('password') ?? '';
  const all = [written, percentDecoded(written), parameter, own.PGPASSWORD ?? ''];
  return [...new Set(all)].filter((password) => password !== '');
}

/** Parses a URL as `pg` does: it may have a user and no host. */
export function urlOf(text: string): URL | undefined {
  const withHost = text.replace(/^(postgres(?:ql)?)\+\w+:/i, '$1:').replace('@/', '@localhost/');
  return URL.canParse(withHost) ? new URL(withHost) : undefined;
}

/** Decodes percent-escapes; keeps those that are not UTF-8. */
export function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
