import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { AnsweredApproval, Approval, ApprovalAnswer, ServerEvent } from '../../api.ts';
import { answerApproval, RequestError } from '../connection/http.ts';
import { say, sayFailure } from '../layout/toasts.tsx';

/** Nothing takes a key or a click so soon after it appeared: it was meant for what was there before. */
const SETTLE_MS = 300;

const open = signal<readonly Approval[]>([]);
/** The approvals this page has answered, until the server confirms it. */
const sending = signal<ReadonlySet<string>>(new Set());
/** Since when a card is where it is. */
const shownAt = new Map<string, number>();
/** How many cards show a request. */
const painted = new Map<string, number>();
/** Answers given on this page are not reported as those of another person. */
const mine = new Set<string>();

/** What waits for a person, the oldest first. */
export const approvals: ReadonlySignal<readonly Approval[]> = open;

/** How many wait. */
export const approvalCount: ReadonlySignal<number> = computed(() => open.value.length);

/** The approvals of one conversation. */
export function approvalsOf(conversation: string): readonly Approval[] {
  return open.value.filter((approval) => approval.conversation === conversation);
}

/** Whether an answer is on its way. */
export function isSending(id: string): boolean {
  return sending.value.has(id);
}

/** Follows the events about approvals. */
export function followApprovals(event: ServerEvent): void {
  if (event.type === 'snapshot') {
    const gone = open
      .peek()
      .filter(({ id }) => !mine.has(id) && !event.approvals.some((approval) => approval.id === id));
    for (const { tool } of gone) say(`${tool}: no answer is needed any more`);
    replace(sorted(event.approvals));
  }
  if (event.type === 'approval') add(event.approval);
  else if (event.type === 'approval-answered') settle(event.answered);
}

/** Called when a card is on the page: from then on it counts its first moments. */
export function cardShown(id: string): void {
  painted.set(id, (painted.get(id) ?? 0) + 1);
  shownAt.set(id, performance.now());
}

/** The keys act on another card than before, which was not the choice of the person: it counts its first moments again. */
export function settleAgain(id: string): void {
  if (shownAt.has(id)) shownAt.set(id, performance.now());
}

/** Called when a card is gone from the page. The same request may be on another card by then, in the next view. */
export function cardHidden(id: string): void {
  const left = (painted.get(id) ?? 0) - 1;
  if (left > 0) {
    painted.set(id, left);
    return;
  }
  painted.delete(id);
  shownAt.delete(id);
}

/** Answers an approval, unless it has only just appeared. The first answer wins; the loser is told who was first. */
export async function answer(approval: Approval, decision: ApprovalAnswer): Promise<void> {
  const shown = shownAt.get(approval.id);
  if (shown === undefined || performance.now() - shown < SETTLE_MS || sending.peek().has(approval.id)) return;
  mark(approval.id, true);
  mine.add(approval.id);
  try {
    await answerApproval(approval.id, decision);
    remove(approval.id);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    mine.delete(approval.id);
    if (error.answered) settle(error.answered);
    else sayFailure(error.message);
    if (error.code === 'not-found') remove(approval.id);
  } finally {
    mark(approval.id, false);
  }
}

function add(approval: Approval): void {
  replace(sorted([...open.peek().filter(({ id }) => id !== approval.id), approval]));
}

/** Cards that move come to lie where another one was: a key or click that is on its way was meant for that one. */
function replace(list: readonly Approval[]): void {
  const before = open.peek();
  const moved = list.findIndex(({ id }, at) => before[at]?.id !== id);
  for (const { id } of moved === -1 ? [] : list.slice(moved)) settleAgain(id);
  open.value = list;
}

function settle(answered: AnsweredApproval): void {
  const approval = open.peek().find(({ id }) => id === answered.id);
  if (approval !== undefined && !mine.has(answered.id)) say(`${approval.tool}: ${verdict(answered)}`);
  remove(answered.id);
}

/** Who decided what, in words. */
function verdict({ decision, by }: AnsweredApproval): string {
  const words: Readonly<Record<string, string>> = {
    allow: 'allowed',
    deny: 'denied',
    answerQuestions: 'answered',
    answer: 'answered',
  };
  return `${words[decision] ?? `no answer is needed any more (${decision})`}${by === null ? '' : ` by ${by}`}`;
}

function remove(id: string): void {
  replace(open.peek().filter((approval) => approval.id !== id));
}

function mark(id: string, on: boolean): void {
  const next = new Set(sending.peek());
  if (on) next.add(id);
  else next.delete(id);
  sending.value = next;
}

function sorted(list: readonly Approval[]): readonly Approval[] {
  return [...list].sort((a, b) => a.requestedAt - b.requestedAt);
}

// What came while the tab was hidden appears to the person when it is shown.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) for (const id of shownAt.keys()) settleAgain(id);
});
