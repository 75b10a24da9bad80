import type { ComponentChild } from 'preact';
import type { Approval, ApprovalScope } from '../../api.ts';
import { Icon } from '../layout/icon.tsx';
import { visible } from '../text/visible.ts';
import { isSending } from './approvals.ts';

/** Whether a request can be allowed with a scope. */
export function canAllow(approval: Approval, scope: ApprovalScope): boolean {
  return approval.kind !== 'question' && (scope === 'once' || approval.scopes.includes(scope));
}

/** The buttons of a request, the rules they accept, and the parts that the card does not show yet. */
export function Choices({
  approval,
  hidden,
  onAllow,
  onMode,
}: {
  readonly approval: Approval;
  /** Parts that the card does not show; allowing shows them first. */
  readonly hidden: readonly string[];
  readonly onAllow: (scope: ApprovalScope) => void;
  readonly onMode: (mode: 'deny' | 'edit') => void;
}): ComponentChild {
  const busy = isSending(approval.id);
  return (
    <footer class="card-foot">
      {hidden.length === 0 ? null : (
        <p class="card-hidden small">
          <Icon name="warning" />
          Hidden: {hidden.join(', ')}. Allowing shows this first.
        </p>
      )}
      <div class="card-buttons">
        <button type="button" class="button button-accent" disabled={busy} onClick={() => onAllow('once')}>
          {approval.kind === 'plan' ? 'Approve plan' : 'Allow once'} <kbd>a</kbd>
        </button>
        {RULED.filter(([scope]) => canAllow(approval, scope)).map(([scope, label]) => (
          <button key={scope} type="button" class="button" disabled={busy} onClick={() => onAllow(scope)}>
            {label} {scope === 'session' ? <kbd>s</kbd> : null}
          </button>
        ))}
        <button type="button" class="button button-second" disabled={busy} onClick={() => onMode('deny')}>
          Deny… <kbd>d</kbd>
        </button>
        {approval.input !== null && approval.kind === 'tool' ? (
          <button type="button" class="button" disabled={busy} onClick={() => onMode('edit')}>
            Edit… <kbd>e</kbd>
          </button>
        ) : null}
      </div>
    </footer>
  );
}

/** The rules that each button accepts. */
export function Rules({ approval }: { readonly approval: Approval }): ComponentChild {
  const rules = RULED.map(([scope, , name]) => [name, rulesOf(approval, scope)] as const).filter(([, rule]) => rule);
  if (rules.length === 0) return null;
  return (
    <>
      <dl class="card-rules small">
        {rules.map(([name, rule]) => (
          <Rule key={name} name={name} rule={rule} />
        ))}
      </dl>
      {canAllow(approval, 'mode') ? (
        <p class="small quiet">With the rules alone, Claude Code asks again for commands that write files.</p>
      ) : null}
    </>
  );
}

/** The rules that a scope accepts, for people. */
function rulesOf(approval: Approval, scope: Exclude<ApprovalScope, 'once'>): string {
  const rules = approval.suggestions.filter((suggestion) => suggestion.scope === scope);
  const texts = rules.map(({ rule, destination }) =>
    scope === 'always' ? `${visible(rule)} in ${visible(destination)}` : visible(rule),
  );
  return texts.join(', ');
}

/** The scopes that accept rules, with the labels of their buttons and of their rules. */
const RULED: readonly (readonly [Exclude<ApprovalScope, 'once'>, string, string])[] = [
  ['session', 'Allow for session', 'For session'],
  ['mode', 'Allow with all edits', 'All edits'],
  ['always', 'Always', 'Always'],
];

function Rule({ name, rule }: { readonly name: string; readonly rule: string }): ComponentChild {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{rule}</code>
      </dd>
    </div>
  );
}
