/** The passwords of a database: as they are written in its URL, as the server gets them, and `PGPASSWORD`. */
export function passwordsOf(databaseUrl: string, own: NodeJS.ProcessEnv): string[] {
  // Not with a parser of URLs: `pg` also takes URLs without a host, which none accepts.
  const [, userInfo = ''] = /^[a-z]+:\/\/([^/?#]*)@/i.exec(databaseUrl) ?? [];
  const written = userInfo.includes(':') ? userInfo.slice(userInfo.indexOf(':') + 1) : '';
  const parameter = urlOf(databaseUrl)?.searchParams.get('password') ?? '';
  const all = [written, percentDecoded(written), parameter, own.PGPASSWORD ?? ''];
  return [...new Set(all)].filter((password) => password !== '');
}

/** As `pg` reads it: a URL may have a user and no host. */
export function urlOf(text: string): URL | undefined {
  const withHost = text.replace(/^(postgres(?:ql)?)\+\w+:/i, '$1:').replace('@/', '@localhost/');
  return URL.canParse(withHost) ? new URL(withHost) : undefined;
}

/** A text without percent-escapes; those that are no UTF-8 stay. */
export function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
