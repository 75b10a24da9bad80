import { lazyView } from '../layout/lazy.tsx';
import { correctLanguage } from './browser-language.ts';

/** The plots, loaded with their library on first use. */
export const Costs = lazyView('Costs', () => {
  correctLanguage();
  return import('./costs-view.tsx').then((module) => module.CostsView);
});
