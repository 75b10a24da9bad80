import { lazyView } from '../layout/lazy.tsx';

/** The waterfall of a turn, loaded on first use. */
export const Waterfall = lazyView('Waterfall', () =>
  import('./waterfall-view.tsx').then((module) => module.WaterfallView),
);
