import { lazyView } from '../layout/lazy.tsx';

/** The comparison of two conversations, loaded on first use. */
export const Compare = lazyView('Compare', () => import('./compare-view.tsx').then((module) => module.CompareView));
