import { lazyView } from '../layout/lazy.tsx';

/** The changes of a conversation, loaded on first use. */
export const Changes = lazyView('Changes', () => import('./changes-view.tsx').then((module) => module.ChangesView));
