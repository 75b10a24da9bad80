import type { ComponentChild } from 'preact';
import type { Approval, Cut } from '../../api.ts';
import { Markdown } from '../text/markdown.tsx';
import { MarkdownText } from '../text/markdown-text.ts';
import { visible, withoutGaps } from '../text/visible.ts';
import { CutText } from '../transcript/cut-text.tsx';
import { DiffView } from '../transcript/diff-view.tsx';

/** How much of a text a card shows before "Show all", so that its buttons stay in reach. */
const FOLD = { lines: 20, chars: 1_500 };
const FOLD_FIELD = { lines: 12, chars: 600 };

/** What a request is about: everything that would run, and why it is asked. */
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
      {kind === 'tool' && diff ? <DiffView diff={diff} /> : null}
      {kind === 'tool' && !diff ? <CutText cut={ungapped(what)} label="What would run" {...FOLD} /> : null}
      {fields.length === 0 ? null : (
        <dl class="card-fields small">
          {fields.map(({ name, value }, at) => (
            <div key={at}>
              <dt>{visible(name)}</dt>
              <dd>
                <CutText cut={ungapped(value)} label={visible(name)} {...FOLD_FIELD} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Reason approval={approval} />
    </>
  );
}

/** A plan that was cut is followed by all of it as text. */
function Plan({ what }: { readonly what: Cut }): ComponentChild {
  return (
    <>
      <Markdown blocks={new MarkdownText().blocks(what.text)} />
      {what.more === null ? null : (
        <p class="notice small">
          <span>
            The plan goes on: {what.text.length.toLocaleString('en-US')} of {what.length.toLocaleString('en-US')}{' '}
            characters are shown.{' '}
            <a href={what.more} target="_blank" rel="noopener">
              Read all of it
            </a>
          </span>
        </p>
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

function ungapped(cut: Cut): Cut {
  return { ...cut, text: withoutGaps(cut.text) };
}
