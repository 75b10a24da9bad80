import type { ComponentChild } from 'preact';
import { onOneLine } from './visible.ts';

/** A path on one line. If it is too long, its folders are cut; the file name stays. */
export function PathText({ path }: { readonly path: string }): ComponentChild {
  const shown = onOneLine(path);
  const at = Math.max(0, shown.lastIndexOf('/'), shown.lastIndexOf('\\'));
  return (
    <code class="path" title={shown} dir="ltr">
      <span class="path-folders">{shown.slice(0, at)}</span>
      <span class="path-name">{shown.slice(at)}</span>
    </code>
  );
}
