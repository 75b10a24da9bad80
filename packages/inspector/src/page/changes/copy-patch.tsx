import type { ComponentChild } from 'preact';
import { getText } from '../connection/http.ts';
import { copyText } from '../layout/copy-text.ts';
import { Icon } from '../layout/icon.tsx';
import { attempt } from '../layout/toasts.tsx';

/** Copies the changes of all files, or of one. */
export function CopyPatch({
  base,
  path,
  label,
}: {
  readonly base: string;
  readonly path?: string;
  readonly label: string;
}): ComponentChild {
  const url = `${base}/patch${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`;
  const copy = async (): Promise<void> => {
    const text = await getText(url);
    await copyText(text, 'The patch was copied.', 'The browser does not allow copying: that needs HTTPS or localhost.');
  };
  return (
    <button type="button" class="button" onClick={() => void attempt(copy)}>
      <Icon name="copy" />
      <span class="only-wide">{label}</span>
      <span class="only-narrow hidden-visually">{label}</span>
    </button>
  );
}
