import { signal } from '@preact/signals';
import type { ComponentChild, FunctionComponent } from 'preact';
import { ViewHead } from '../layout/view-head.tsx';
import { correctLanguage } from './browser-language.ts';

const loaded = signal<FunctionComponent | null>(null);
const failed = signal(false);

/** The plots, loaded with their library on first use. */
export function Costs(): ComponentChild {
  const View = loaded.value;
  if (View !== null) return <View />;
  correctLanguage();
  import('./costs-view.tsx').then(
    (module) => {
      loaded.value = module.CostsView;
    },
    () => {
      failed.value = true;
    },
  );
  return <ViewHead title="Costs" note={failed.value ? 'The plots cannot be loaded. Reload the page.' : 'Loading …'} />;
}
