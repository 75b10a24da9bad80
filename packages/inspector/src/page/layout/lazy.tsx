import { signal } from '@preact/signals';
import type { ComponentChild, FunctionComponent } from 'preact';
import { ViewHead } from './view-head.tsx';

/** A view that is loaded when it is first shown, so that the first page stays small. */
export function lazyView<P extends object>(
  title: string,
  load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> {
  const loaded = signal<FunctionComponent<P> | null>(null);
  const failed = signal(false);
  let asked = false;
  return function LazyView(props: P): ComponentChild {
    const View = loaded.value;
    if (View !== null) return <View {...props} />;
    if (!asked) {
      asked = true;
      load().then(
        (view) => {
          loaded.value = view;
        },
        () => {
          failed.value = true;
        },
      );
    }
    return (
      <ViewHead title={title} note={failed.value ? 'This view cannot be loaded. Reload the page.' : 'Loading …'} />
    );
  };
}
