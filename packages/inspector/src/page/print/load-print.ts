import { lazyView } from '../layout/lazy.tsx';

/** A conversation for paper, loaded on first use. */
export const PrintPage = lazyView('Print', () => import('./print-view.tsx').then((module) => module.PrintView));
