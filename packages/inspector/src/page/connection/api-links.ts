import { attempt } from '../layout/toasts.tsx';
import { request } from './http.ts';

/** Time the browser has to fetch a file before its URL is revoked. */
const KEPT_MS = 60_000;

/** Makes links to the API work: a link cannot send the key, so the page fetches its target. */
export function followApiLinks(): void {
  for (const kind of ['click', 'auxclick'] as const) document.addEventListener(kind, followLink);
}

function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="api/"]') : null;
  // The right button opens the browser's menu.
  if (link === null || event.defaultPrevented || event.button === 2) return;
  event.preventDefault();
  void attempt(() => open(link.getAttribute('href') ?? '', link.hasAttribute('download')));
}

async function open(path: string, isFile: boolean): Promise<void> {
  const answer = await request(path);
  const url = URL.createObjectURL(await answer.blob());
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
  const link = document.createElement('a');
  link.href = url;
  if (isFile) link.download = nameIn(answer.headers.get('content-disposition') ?? '');
  else Object.assign(link, { target: '_blank', rel: 'noopener' });
  link.click();
}

function nameIn(disposition: string): string {
  return /filename="([^"]+)"/.exec(disposition)?.[1] ?? '';
}
