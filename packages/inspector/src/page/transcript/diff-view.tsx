import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Diff, Hunk } from '../../api.ts';
import { parseUnified } from '../../diff/parse-unified.ts';
import { changedWords, type Piece } from '../../diff/words.ts';
import { getText } from '../connection/http.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { useHiddenPart } from '../needs/hidden-parts.ts';
import { ShownWhole } from '../print/shown-whole.ts';
import { plural } from '../text/format.ts';
import { PathText } from '../text/path-text.tsx';
import { Size } from '../text/size.tsx';
import { visible } from '../text/visible.ts';

/** Lines shown before "show all", and the most that are ever shown: a diff of a whole file is long. */
const LINES = { folded: 40, most: 5_000 };

/** The change of a file: line numbers where known, `+` and `−` in front of changed lines, changed words marked. */
export function DiffView({
  diff,
  lines = LINES.folded,
}: {
  readonly diff: Diff;
  /** Number of lines shown before "show all". */
  readonly lines?: number;
}): ComponentChild {
  const isPaper = useContext(ShownWhole);
  const whole = useSignal<readonly Hunk[] | null>(null);
  const unfolded = useSignal(false);
  const hunks = whole.value ?? diff.hunks;
  const limit = unfolded.value ? LINES.most : lines;
  const rest = diff.added + diff.removed - changesIn(hunks, limit);
  const isCut = diff.more !== null && whole.value === null;
  const showAll = async (): Promise<void> => {
    const { more: url } = diff;
    await attempt(async () => {
      if (url !== null && whole.value === null) whole.value = parseUnified(await getText(url));
      unfolded.value = true;
    });
  };
  useEffect(() => {
    if (isPaper) void showAll();
  }, [isPaper, diff.more]);
  const hidden = rest > 0 ? plural(rest, 'changed line') : isCut ? 'parts of long lines' : null;
  const more = rest > 0 ? plural(rest, 'more changed line') : 'all of the long lines';
  // Parts that are too long to be shown can be opened.
  useHiddenPart(unfolded.value ? null : hidden, showAll);
  return (
    <figure class="diff" data-folded={!unfolded.value}>
      <figcaption class="diff-head small">
        <PathText path={diff.path} />
        <span class="grow" />
        <span>{diff.created === null ? 'writes the whole file' : diff.created ? 'new file' : ''}</span>
        <Size added={diff.added} removed={diff.removed} />
      </figcaption>
      <ScrollRegion name="diff-lines" dir="ltr" label={`Changes of ${visible(diff.path)}`}>
        <table>
          <tbody>{rowsOf(hunks, limit)}</tbody>
        </table>
      </ScrollRegion>
      {hidden === null ? null : (
        <div class="more small">
          {isPaper ? (
            <p class="quiet">and {more}, in an export of the conversation</p>
          ) : unfolded.value && diff.more !== null ? (
            <a class="button button-plain" href={diff.more} target="_blank" rel="noopener">
              Open all of it: {more}
            </a>
          ) : (
            <button type="button" class="button button-plain" onClick={() => void showAll()}>
              Show {more}
            </button>
          )}
        </div>
      )}
    </figure>
  );
}

/** Number of changes among the first lines. */
function changesIn(hunks: readonly Hunk[], limit: number): number {
  const lines = hunks.flatMap((hunk) => hunk.lines).slice(0, limit);
  return lines.filter((line) => !line.startsWith(' ')).length;
}

function rowsOf(hunks: readonly Hunk[], limit: number): ComponentChild[] {
  const rows: ComponentChild[] = [];
  let left = limit;
  let behind: number | null = 1;
  for (const [at, hunk] of hunks.entries()) {
    if (left <= 0) break;
    const gap = hunk.leftOut ?? leftOutBefore(hunk, behind);
    if (gap !== 0 && (gap !== null || at > 0)) rows.push(<GapRow key={`gap-${at}`} lines={gap} />);
    const shown = hunk.lines.slice(0, left);
    rows.push(...rowsOfHunk(hunk, shown, at));
    left -= shown.length;
    behind = hunk.oldStart === null ? null : hunk.oldStart + hunk.lines.filter((line) => !line.startsWith('+')).length;
  }
  return rows;
}

function leftOutBefore({ oldStart }: Hunk, behind: number | null): number | null {
  return oldStart === null || behind === null ? null : Math.max(0, oldStart - behind);
}

function GapRow({ lines }: { readonly lines: number | null }): ComponentChild {
  return (
    <tr class="diff-gap">
      <td colSpan={3}>⋯ {lines === null ? '' : plural(lines, 'unchanged line')}</td>
    </tr>
  );
}

function rowsOfHunk({ oldStart, newStart }: Hunk, lines: readonly string[], key: number): ComponentChild[] {
  let [before, after] = [oldStart, newStart];
  const words = changedWords(lines);
  return lines.map((line, at) => {
    const mark = line.charAt(0);
    const number = mark === '-' ? before : after;
    if (mark !== '+' && before !== null) before++;
    if (mark !== '-' && after !== null) after++;
    return (
      <tr key={`${key}-${at}`} class={mark === '+' ? 'diff-added' : mark === '-' ? 'diff-removed' : undefined}>
        <td class="diff-number numbers">{number ?? ''}</td>
        <td class="diff-mark">{mark === '-' ? '−' : mark === '+' ? '+' : ''}</td>
        <td class="diff-text">{words[at]?.map(pieceOf) ?? (visible(line.slice(1)) || ' ')}</td>
      </tr>
    );
  });
}

function pieceOf({ text, changed }: Piece, at: number): ComponentChild {
  return changed ? (
    <span key={at} class="diff-word">
      {visible(text)}
    </span>
  ) : (
    visible(text)
  );
}
