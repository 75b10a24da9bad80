import { signal } from '@preact/signals';
import type { ComponentChild, FunctionComponent } from 'preact';
import { ViewHead } from './view-head.tsx';

/** A view that is loaded when it is first shown, so that the first page stays small. */
export function lazyView<P extends object>(
  title: string,
  load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> {
  return lazyPart(load, (failed) => (
    <ViewHead title={title} note={failed ? 'This view cannot be loaded. Reload the page.' : 'Loading …'} />
  ));
}

/** A part of the page that is loaded when it is first shown; until then, and if it cannot be loaded, `otherwise` is shown. */
export function lazyPart<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  otherwise: (failed: boolean) => ComponentChild,
): FunctionComponent<P> {
  const loaded = signal<FunctionComponent<P> | null>(null);
  const failed = signal(false);
  let asked = false;
  return function LazyPart(props: P): ComponentChild {
    const Part = loaded.value;
    if (Part !== null) return <Part {...props} />;
    if (!asked) {
      asked = true;
      load().then(
        (part) => {
          loaded.value = part;
        },
        () => {
          failed.value = true;
        },
      );
    }
    return otherwise(failed.value);
  };
}
