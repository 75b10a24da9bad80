import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { Diff, Hunk } from '../../api.ts';
import { getText } from '../connection/http.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { onOneLine, visible } from '../text/visible.ts';

/** Lines shown before "show all"; a file written as a whole is long. */
const FOLDED_LINES = 40;

/** The change of a file: line numbers where they are known, `+` and `−` in front of what changed. */
export function DiffView({ diff, folded = true }: { readonly diff: Diff; readonly folded?: boolean }): ComponentChild {
  const whole = useSignal<readonly Hunk[] | null>(null);
  const unfolded = useSignal(!folded);
  const hunks = whole.value ?? diff.hunks;
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const hidden = (!unfolded.value && lines > FOLDED_LINES) || (diff.more !== null && whole.value === null);
  const showAll = async (): Promise<void> => {
    const { more } = diff;
    await attempt(async () => {
      if (more !== null && whole.value === null) whole.value = parseUnified(await getText(more));
      unfolded.value = true;
    });
  };
  return (
    <figure class="diff">
      <figcaption class="diff-head small">
        <code class="cut">{onOneLine(diff.path)}</code>
        <span class="grow" />
        <span class="numbers">
          {diff.created === null ? 'writes the whole file ' : diff.created ? 'new file ' : ''}
          <span class="diff-plus">+{diff.added}</span> <span class="diff-minus">−{diff.removed}</span>
        </span>
      </figcaption>
      <ScrollRegion name="diff-lines" dir="ltr" label={`Changes of ${visible(diff.path)}`}>
        <table>
          <tbody>{rowsOf(hunks, unfolded.value ? lines : FOLDED_LINES)}</tbody>
        </table>
      </ScrollRegion>
      {hidden ? (
        <div class="more small">
          <button type="button" class="button button-plain" onClick={() => void showAll()}>
            Show all {(diff.added + diff.removed).toLocaleString('en-US')} changed lines
          </button>
        </div>
      ) : null}
    </figure>
  );
}

function rowsOf(hunks: readonly Hunk[], limit: number): ComponentChild[] {
  const rows: ComponentChild[] = [];
  for (const [at, hunk] of hunks.entries()) {
    if (at > 0 && rows.length < limit) {
      rows.push(
        <tr key={`gap-${at}`} class="diff-gap">
          <td colSpan={3}>⋯</td>
        </tr>,
      );
    }
    let before = hunk.oldStart;
    let after = hunk.newStart;
    for (const [index, line] of hunk.lines.entries()) {
      if (rows.length >= limit) return rows;
      const mark = line.charAt(0);
      const number = mark === '-' ? before : after;
      if (mark !== '+' && before !== null) before++;
      if (mark !== '-' && after !== null) after++;
      rows.push(
        <tr key={`${at}-${index}`} class={mark === '+' ? 'diff-added' : mark === '-' ? 'diff-removed' : undefined}>
          <td class="diff-number numbers">{number ?? ''}</td>
          <td class="diff-mark">{mark === '-' ? '−' : mark === '+' ? '+' : ''}</td>
          <td class="diff-text">{visible(line.slice(1)) || ' '}</td>
        </tr>,
      );
    }
  }
  return rows;
}

/** Reads the hunks of a unified diff. */
function parseUnified(text: string): readonly Hunk[] {
  const hunks: { oldStart: number | null; newStart: number | null; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const head = /^@@ -(\d+)?(?:,\d+)? \+(\d+)?(?:,\d+)? @@/.exec(line);
    if (head) hunks.push({ oldStart: numberOf(head[1]), newStart: numberOf(head[2]), lines: [] });
    else if (/^(---|\+\+\+) /.test(line) && hunks.length === 0) continue;
    else if (/^[ +-]/.test(line)) {
      if (hunks.length === 0) hunks.push({ oldStart: null, newStart: null, lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
  }
  return hunks;
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}
