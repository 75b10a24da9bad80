import { type ReadonlySignal, signal } from '@preact/signals';
import { namedInLink, nameInLinks } from './conversation-names.ts';

/** The current view. It is stored in the URL's fragment, so every view has a link that the server does not need to handle. */
export type Route =
  | { readonly view: 'list' }
  | { readonly view: 'home' }
  | { readonly view: 'conversation'; readonly id: string; readonly entry: number | null }
  | { readonly view: 'turn'; readonly id: string; readonly turn: string }
  | { readonly view: 'changes'; readonly id: string; readonly path: string | null }
  | { readonly view: 'compare'; readonly id: string; readonly other: string | null }
  | { readonly view: 'print'; readonly id: string }
  | { readonly view: 'needs' }
  | { readonly view: 'costs' }
  | { readonly view: 'audit' }
  | { readonly view: 'queues' }
  | { readonly view: 'search'; readonly query: string };

const current = signal<Route>(parseRoute(location.hash));

/** The current view. */
export const route: ReadonlySignal<Route> = current;

window.addEventListener('hashchange', () => {
  current.value = parseRoute(location.hash);
});

/** Reads a view from a fragment; an unknown one shows the list. */
function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view, id, entry] = path.split('/').map(decoded);
  if (view === 'c' && id) {
    return { view: 'conversation', id: namedInLink(id), entry: /^\d{1,9}$/.test(entry ?? '') ? Number(entry) : null };
  }
  if (view === 'turn' && id && entry) return { view, id: namedInLink(id), turn: entry };
  if (view === 'print' && id) return { view, id: namedInLink(id) };
  if (view === 'compare' && id) return { view, id: namedInLink(id), other: entry ? namedInLink(entry) : null };
  if (view === 'changes' && id) return { view, id: namedInLink(id), path: entry || null };
  if (view === 'home' || view === 'needs' || view === 'costs' || view === 'audit' || view === 'queues') return { view };
  if (view === 'search') return { view, query: new URLSearchParams(search).get('q') ?? '' };
  return { view: 'list' };
}

/** The link to a view. */
function linkTo(to: Route): string {
  if (to.view === 'list') return '#/';
  if (to.view === 'search') return linkToSearch(to.query);
  if (to.view === 'turn') return linkToTurn(to.id, to.turn);
  if (to.view === 'changes') return linkToChanges(to.id, to.path);
  if (to.view === 'print') return linkToPrint(to.id);
  if (to.view === 'compare') return linkToCompare(to.id, to.other);
  if (to.view !== 'conversation') return `#/${to.view}`;
  const entry = to.entry === null ? '' : `/${to.entry}`;
  return `#/c/${encodeURIComponent(nameInLinks(to.id))}${entry}`;
}

/** The link to a conversation, or to one entry of it. */
export function linkToConversation(id: string, entry: number | null = null): string {
  return linkTo({ view: 'conversation', id, entry });
}

/** The link to the waterfall of a turn. */
export function linkToTurn(id: string, turn: string): string {
  return `#/turn/${encodeURIComponent(nameInLinks(id))}/${encodeURIComponent(turn)}`;
}

/** The link to a comparison of two conversations; without the other one, to a choice. */
export function linkToCompare(id: string, other: string | null = null): string {
  const second = other === null ? '' : `/${encodeURIComponent(nameInLinks(other))}`;
  return `#/compare/${encodeURIComponent(nameInLinks(id))}${second}`;
}

/** The link to a conversation for printing. */
export function linkToPrint(id: string): string {
  return `#/print/${encodeURIComponent(nameInLinks(id))}`;
}

/** The link to a search. */
export function linkToSearch(query: string): string {
  return `#/search?${new URLSearchParams({ q: query })}`;
}

/** The link to the changes of a conversation, or of one file in it. */
export function linkToChanges(id: string, path: string | null = null): string {
  const file = path === null ? '' : `/${encodeURIComponent(path)}`;
  return `#/changes/${encodeURIComponent(nameInLinks(id))}${file}`;
}

/** Shows a view; with `replace`, without an entry in the browser's history. */
export function show(to: Route, replace = false): void {
  if (replace) history.replaceState(null, '', linkTo(to));
  else history.pushState(null, '', linkTo(to));
  current.value = to;
}

/**
 * Shows `to` where `from` is shown, under its present link: a conversation has another id after a resume, and a link may name a
 * session.
 */
export function followConversation(from: string, to: string): void {
  const shown = current.peek();
  if (!('id' in shown) || (shown.id !== from && shown.id !== to)) return;
  const next = { ...shown, id: to };
  if (shown.id !== to || location.hash !== linkTo(next)) show(next, true);
}

/** Shows a conversation. */
export function showConversation(id: string): void {
  show({ view: 'conversation', id, entry: null });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
