import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { Approval, Cut } from '../../api.ts';
import { getText } from '../connection/http.ts';
import { attempt } from '../layout/toasts.tsx';
import { plural } from '../text/format.ts';
import { Markdown } from '../text/markdown.tsx';
import { MarkdownText } from '../text/markdown-text.ts';
import { visible, withoutGaps } from '../text/visible.ts';
import { CutText } from '../transcript/cut-text.tsx';
import { DiffView } from '../transcript/diff-view.tsx';
import { useHiddenPart } from './hidden-parts.ts';

/** How much of a text a card shows before "Show all", so that its buttons stay within reach. */
const FOLD = { lines: 20, chars: 1_500 };
const FOLD_DIFF = 24;
const FOLD_FIELD = { lines: 12, chars: 600 };

/** The content of a request: everything that would run, and the reason for the request. */
export function CardContent({ approval }: { readonly approval: Approval }): ComponentChild {
  const { kind, diff, what, fields, argument, description } = approval;
  const isRepeated = description === diff?.path || description === argument;
  return (
    <>
      {description === null || isRepeated ? null : (
        <p class="card-description" dir="auto">
          {visible(description)}
        </p>
      )}
      {kind === 'plan' ? <Plan what={what} /> : null}
      {kind === 'tool' && diff ? <DiffView diff={diff} lines={FOLD_DIFF} /> : null}
      {kind === 'tool' && !diff ? <CutText cut={what} label="What would run" shape={withoutGaps} {...FOLD} /> : null}
      {fields.length === 0 ? null : (
        <dl class="card-fields small">
          {fields.map(({ name, value }, at) => (
            <div key={at}>
              <dt>{visible(name)}</dt>
              <dd>
                <CutText cut={value} label={visible(name)} shape={withoutGaps} {...FOLD_FIELD} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Reason approval={approval} />
    </>
  );
}

function Plan({ what }: { readonly what: Cut }): ComponentChild {
  const whole = useSignal<string | null>(null);
  const shown = whole.value ?? what.text;
  const rest = what.length - shown.length;
  const showAll = async (): Promise<void> => {
    const { more } = what;
    if (more !== null) await attempt(async () => (whole.value = await getText(more)));
  };
  const words = rest > 0 ? `${plural(rest, 'character')} of the plan` : null;
  useHiddenPart(words, showAll);
  return (
    <>
      <Markdown blocks={new MarkdownText().blocks(shown)} />
      {words === null ? null : (
        <button type="button" class="button button-plain small" onClick={() => void showAll()}>
          Show {words}
        </button>
      )}
    </>
  );
}

function Reason({ approval: { reason, blockedPath } }: { readonly approval: Approval }): ComponentChild {
  if (reason === null && blockedPath === null) return null;
  const about = blockedPath === null ? '' : `${reason === null ? 'Asks because of ' : ': '}${blockedPath}`;
  return (
    <p class="quiet small" dir="auto">
      {visible(`${reason ?? ''}${about}`)}
    </p>
  );
}
