import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Approval, ApprovalAnswer, ApprovalScope } from '../../api.ts';
import { serverInfo } from '../connection/server-info.ts';
import { Boundary } from '../layout/boundary.tsx';
import { notify } from '../layout/toasts.tsx';
import { visible } from '../text/visible.ts';
import { answer } from './approvals.ts';
import { CardBody } from './card-body.tsx';
import { Choices, canAllow, Rules } from './card-choices.tsx';
import { CardContent } from './card-content.tsx';
import { DenyForm, EditForm } from './card-forms.tsx';
import { CardHead } from './card-head.tsx';
import { type CardActions, markCard, markedCard } from './card-keys.ts';
import type { CardPlace } from './card-place.ts';
import { HiddenInCard, HiddenParts } from './hidden-parts.ts';
import { type Chosen, QuestionForm, type QuestionKeys, Questions } from './question-form.tsx';
import { useCard } from './use-card.ts';

interface CardProps {
  readonly approval: Approval;
  readonly linked: boolean;
}

/** One request: what would run, why it is asked, and the possible answers. A request that cannot be shown can be denied. */
export function ApprovalCard({ approval, linked }: CardProps): ComponentChild {
  return (
    <Boundary otherwise={<BrokenCard approval={approval} linked={linked} />}>
      <Card approval={approval} linked={linked} />
    </Boundary>
  );
}

function BrokenCard({ approval, linked }: CardProps): ComponentChild {
  const root = useRef<HTMLElement>(null);
  const place = useCard(approval.id, root, NO_KEYS);
  const reason = 'The inspector could not show this request.';
  return (
    <article
      ref={root}
      class="card new-row"
      tabIndex={-1}
      data-marked={markedCard.value === approval.id}
      data-approval={approval.id}
      onFocusIn={() => markCard(approval.id)}
      onClickCapture={(event) => blockUnintended(event, approval.id, place.current)}
      aria-label={`${visible(approval.tool)} needs a decision`}
    >
      <CardHead approval={approval} linked={linked} />
      <p class="card-body">This request cannot be shown here. Answer it in the program, or deny it.</p>
      <footer class="card-foot card-buttons">
        <button type="button" class="button" onClick={() => void answer(approval, { decision: 'deny', reason })}>
          Deny
        </button>
      </footer>
    </article>
  );
}

function Card({ approval, linked }: CardProps): ComponentChild {
  const mode = useSignal<'choose' | 'deny' | 'edit'>('choose');
  // Kept while the deny form replaces the questions.
  const chosen = useSignal<readonly Chosen[]>([]);
  const hidden = useMemo(() => new HiddenParts(), []);
  const root = useRef<HTMLElement>(null);
  const question = useRef<QuestionKeys>(null);
  const { id } = approval;
  // Only the cards whose mark changes are rendered again.
  const isMarked = useComputed(() => markedCard.value === id);
  const readOnly = serverInfo.value?.readOnly === true;
  const decide = (decision: ApprovalAnswer): void => void answer(approval, decision);
  const allow = (scope: ApprovalScope): void => {
    if (!canAllow(approval, scope)) return;
    if (hidden.parts.peek().length === 0) decide({ decision: 'allow', scope });
    else void showFirst(hidden, place.current);
  };
  const actions: CardActions = {
    allow: (scope) => {
      // Ignored while another form is open.
      if (mode.peek() !== 'choose') return;
      if (approval.kind !== 'question' && !canAllow(approval, scope)) refuseScope();
      else allow(scope);
    },
    deny: () => {
      mode.value = 'deny';
    },
    edit: () => {
      if (approval.input !== null && approval.kind === 'tool') mode.value = 'edit';
    },
    choose: (option) => question.current?.choose(option) ?? false,
    submit: () => question.current?.submit() ?? false,
  };
  const place = useCard(id, root, readOnly ? READ_ONLY : actions);
  const back = (): void => {
    mode.value = 'choose';
    root.current?.focus();
  };
  return (
    <article
      ref={root}
      class="card new-row"
      tabIndex={-1}
      data-marked={isMarked.value}
      data-approval={id}
      onFocusIn={() => markCard(id)}
      onPointerDown={() => markCard(id)}
      onClickCapture={(event) => blockUnintended(event, id, place.current)}
      aria-label={`${visible(approval.tool)} needs a decision`}
    >
      <CardHead approval={approval} linked={linked} />
      <CardBody>
        <HiddenInCard.Provider value={hidden}>
          <CardContent approval={approval} />
        </HiddenInCard.Provider>
        {readOnly ? null : <Rules approval={approval} />}
        {approval.kind === 'question' && (readOnly || mode.value !== 'choose') ? (
          <Questions approval={approval} />
        ) : null}
      </CardBody>
      {readOnly ? <p class="card-foot small quiet">Read-only: this request cannot be answered from here.</p> : null}
      {mode.value === 'choose' && approval.kind === 'question' && !readOnly ? (
        <QuestionForm
          approval={approval}
          chosen={chosen}
          keys={question}
          onAnswer={decide}
          onDeny={() => (mode.value = 'deny')}
        />
      ) : null}
      {mode.value === 'choose' && approval.kind !== 'question' && !readOnly ? (
        <Choices
          approval={approval}
          hidden={hidden.parts.value.map(({ words }) => words)}
          onAllow={allow}
          onMode={(next) => (mode.value = next)}
        />
      ) : null}
      {mode.value === 'deny' ? <DenyForm approval={approval} onDecide={decide} onBack={back} /> : null}
      {mode.value === 'edit' ? <EditForm approval={approval} onDecide={decide} onBack={back} /> : null}
    </article>
  );
}

const NO_KEYS: CardActions = { allow() {}, deny() {}, edit() {}, choose: () => false, submit: () => false };

const refuse = (): void => notify('Nothing was done: this page is in read-only mode.', 'warning');
const READ_ONLY: CardActions = { ...NO_KEYS, allow: refuse, deny: refuse, edit: refuse };

/** The request has no button for this scope: the CLI suggests no rule, or the program does not let answers change permissions. */
function refuseScope(): void {
  notify('Nothing was done: this request can only be allowed once.', 'warning');
}

/** Shows the hidden parts of a card; the person must then allow it again. */
async function showFirst(hidden: HiddenParts, place: CardPlace | null): Promise<void> {
  const words = hidden.parts.peek().map((part) => part.words);
  await hidden.showAll();
  place?.settleAgain();
  notify(`Nothing was allowed yet: the card was hiding ${words.join(', ')}. Review it and allow again.`, 'warning');
}

/**
 * Blocks input that was not meant for this card: a click before the card has settled, the second click of a double click, and a key
 * on a focused button if the card is out of view, not marked, or not settled. A click caused by a key has a count of 0; Enter in a
 * field clicks the button that submits it.
 */
function blockUnintended(event: MouseEvent, id: string, place: CardPlace | null): void {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (button === null || place === null) return;
  const isKey = event.detail === 0;
  const problem = isKey ? unseen(id, place) : null;
  const isSettled = (isKey && button !== document.activeElement) || place.isSettled();
  if (problem === null && isSettled && event.detail < 2) return;
  event.preventDefault();
  event.stopPropagation();
  if (problem === null) return;
  place.element.scrollIntoView({ block: 'nearest' });
  markCard(id);
  notify(`Nothing was done: ${problem}, and press the key again.`, 'warning');
}

/** Why a key must not decide a card: the person is looking at something else. */
function unseen(id: string, place: CardPlace): string | null {
  if (!place.isInSight()) return 'this request was not in view. Look at it';
  return markedCard.peek() === id ? null : 'another request was marked. Look at this one';
}
