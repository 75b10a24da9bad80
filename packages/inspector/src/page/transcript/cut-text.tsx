import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import type { Cut } from '../../api.ts';
import { getText } from '../connection/http.ts';
import { CopyButton } from '../layout/copy-button.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { useHiddenPart } from '../needs/hidden-parts.ts';
import { LONGEST_ON_PAPER, ShownWhole } from '../print/shown-whole.ts';
import { bytes } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** Size of the chunks that are laid out separately, so that the browser skips those out of view. */
const CHUNK = 20_000;
/** Longest text shown on the page; longer ones are offered as a file. */
const MAX_SHOWN = 8_000_000;

/** A text in a code block, cut if it is long, with a button that shows all of it. */
export function CutText({
  cut,
  label,
  lines = 0,
  chars = Number.POSITIVE_INFINITY,
  shape = asItIs,
}: {
  readonly cut: Cut;
  readonly label: string;
  /** Number of lines and characters shown before "Show all"; all by default. */
  readonly lines?: number;
  readonly chars?: number;
  /** Transforms the text before it is shown, cut or in full. */
  readonly shape?: (text: string) => string;
}): ComponentChild {
  const isPaper = useContext(ShownWhole);
  const fetched = useSignal<{ readonly of: string; readonly text: string } | null>(null);
  const unfolded = useSignal(false);
  const loading = useSignal(false);
  const isAnnounced = useSignal(false);
  // The text may have been replaced by another one.
  const of = `${cut.more} ${cut.length}`;
  const whole = fetched.value?.of === of ? fetched.value.text : null;
  const source = whole ?? cut.text;
  const text = useMemo(() => shape(source), [shape, source]);
  const shown = isPaper || unfolded.value || lines === 0 ? text : firstLines(text.slice(0, chars), lines);
  const hidden = shown.length < text.length || (cut.more !== null && whole === null);
  const showAll = async (): Promise<void> => {
    loading.value = true;
    await attempt(async () => {
      if (cut.more !== null && whole === null) fetched.value = { of, text: await getText(cut.more) };
      unfolded.value = true;
    });
    loading.value = false;
  };
  useEffect(() => {
    if (isPaper && cut.more !== null && cut.length <= LONGEST_ON_PAPER) void showAll();
  }, [isPaper, of]);
  const isTooLong = cut.more !== null && cut.length > MAX_SHOWN;
  const rest = bytes(cut.length - shown.length);
  // A text that is too long to be shown can be opened as a file; the card has announced that.
  useHiddenPart(hidden && !(isTooLong && isAnnounced.value) ? `${rest} of “${label}”` : null, () => {
    isAnnounced.value = true;
    return isTooLong ? undefined : showAll();
  });
  return (
    <figure class="code" data-folded={!unfolded.value}>
      <CopyButton text={source} label={`Copy: ${label}`} />
      <ScrollRegion name="code-lines" dir="ltr" label={label}>
        <pre>
          {chunks(visible(shown)).map((chunk, at) => (
            <code key={at} class="chunk">
              {chunk}
            </code>
          ))}
        </pre>
      </ScrollRegion>
      {hidden ? (
        <figcaption class="more small">
          {isPaper ? (
            <p class="quiet">and {rest} more, in an export of the conversation</p>
          ) : isTooLong && cut.more !== null ? (
            <a class="button button-plain" href={cut.more} target="_blank" rel="noopener">
              Open all of it ({bytes(cut.length)})
            </a>
          ) : (
            <button type="button" class="button button-plain" disabled={loading.value} onClick={() => void showAll()}>
              {loading.value ? 'Loading …' : `Show all (${bytes(cut.length)})`}
            </button>
          )}
        </figcaption>
      ) : null}
    </figure>
  );
}

function asItIs(text: string): string {
  return text;
}

function firstLines(text: string, lines: number): string {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}

/** Splits a text at line breaks into pieces of a bounded size. */
function chunks(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CHUNK);
    const lineEnd = text.lastIndexOf('\n', end - 1);
    if (end < text.length && lineEnd > start) end = lineEnd + 1;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}
