import type { ComponentChild } from 'preact';
import type { Approval } from '../../api.ts';
import { visible, withoutGaps } from '../text/visible.ts';
import { CutText } from '../transcript/cut-text.tsx';
import { DiffView } from '../transcript/diff-view.tsx';
import { PlanText } from '../transcript/plan-text.tsx';
import { describesInHead } from './card-head.tsx';

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
        <p class={`card-description ${describesInHead(approval) ? 'only-narrow' : ''}`} dir="auto">
          {visible(description)}
        </p>
      )}
      {kind === 'plan' ? <PlanText plan={what} /> : null}
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

function Reason({ approval: { reason, blockedPath } }: { readonly approval: Approval }): ComponentChild {
  if (reason === null && blockedPath === null) return null;
  const about = blockedPath === null ? '' : `${reason === null ? 'Asks because of ' : ': '}${blockedPath}`;
  return (
    <p class="quiet small" dir="auto">
      {visible(`${reason ?? ''}${about}`)}
    </p>
  );
}
