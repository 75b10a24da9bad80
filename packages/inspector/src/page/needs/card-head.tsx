import type { ComponentChild } from 'preact';
import type { Approval, ApprovalTerms } from '../../api.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { linkToConversation } from '../route.ts';
import { conversationSignal } from '../sessions/conversations.ts';
import { age, modelName } from '../text/format.ts';
import { PathText } from '../text/path-text.tsx';
import { visible } from '../text/visible.ts';
import { approvals } from './approvals.ts';
import { termsText } from './terms-text.ts';

/** Longest description that fits beside the name of a tool on a wide page; otherwise the body shows it. */
const SHORT = 60;

/** Who asks, on one line; what they ask for, on the next. */
export function CardHead({
  approval,
  linked,
}: {
  readonly approval: Approval;
  readonly linked: boolean;
}): ComponentChild {
  const { conversation, entry, agent, requestedAt, terms } = approval;
  const { cwd = null, model = null } = conversationSignal(conversation)?.value ?? {};
  const title = visible(approval.conversationTitle) || 'Untitled conversation';
  const all = approvals.value;
  const place = all.findIndex(({ id }) => id === approval.id) + 1;
  return (
    <header class="card-head">
      <p class="card-who small">
        {linked ? (
          <a class="card-link cut" href={linkToConversation(conversation, entry)}>
            {title}
          </a>
        ) : (
          <span class="cut">{title}</span>
        )}
        {agent === null ? null : <span class="cut">by {visible(agent)}</span>}
        {cwd === null ? null : <span class="cut card-where">{folderOf(visible(cwd))}</span>}
        {model === null ? null : <span class="cut card-where">{modelName(visible(model))}</span>}
        <span class="grow" />
        {all.length < 2 || place === 0 ? null : (
          <span class="numbers">
            {place} of {all.length}
          </span>
        )}
        <span class="numbers">{age(requestedAt, now.value)}</span>
      </p>
      <p class="card-what">
        <span class="status status-needs-me">
          <Icon name={approval.kind === 'question' ? 'question' : 'needs-me'} />
          {HEADS[approval.kind](approval)}
        </span>
        <Subject approval={approval} />
      </p>
      {terms === null ? null : <Terms terms={terms} />}
    </header>
  );
}

/** Whether the head shows the description of a request. */
export function describesInHead({ kind, diff, description }: Approval): boolean {
  return kind === 'tool' && diff === null && description !== null && description.length <= SHORT;
}

/** The file that would change, or the agent's own description. */
function Subject({ approval }: { readonly approval: Approval }): ComponentChild {
  const { diff, description } = approval;
  if (diff !== null) return <PathText path={diff.path} />;
  if (!describesInHead(approval)) return null;
  return (
    <span class="cut only-wide" dir="auto">
      {visible(description ?? '')}
    </span>
  );
}

function folderOf(path: string): string {
  return /[^/\\]+(?=[/\\]*$)/.exec(path)?.[0] ?? path;
}

function Terms({ terms }: { readonly terms: ApprovalTerms }): ComponentChild {
  return (
    <span class="quiet small" title={`SHA-256 of what is asked: ${terms.hash}`}>
      {visible(termsText(terms, now.value))} <code>{terms.hash.slice(0, 12)}</code>
    </span>
  );
}

const HEADS: Readonly<Record<Approval['kind'], (approval: Approval) => string>> = {
  tool: ({ tool }) => `${visible(tool)} wants to run`,
  question: () => 'The agent has a question',
  plan: () => 'A plan to approve',
};
