import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { AnsweredApproval, Approval, ApprovalAnswer, ApprovalScope, ServerEvent } from '../../api.ts';
import { fieldsOf } from '../../transcript/fields.ts';
import { argumentOf } from '../../transcript/tool-call.ts';
import { answerApproval, RequestError } from '../connection/http.ts';
import { notify, notifyFailure, notifyUnsent } from '../layout/toasts.tsx';
import { decisionInWords } from '../text/decision-words.ts';
import { visible } from '../text/visible.ts';
import { takeTyped } from './typed-text.ts';

const open = signal<readonly Approval[]>([]);
/** Approvals answered on this page and not yet confirmed by the server. */
const sending = signal<ReadonlySet<string>>(new Set());
/** Approvals answered on this page, which are not reported as another person's answers. */
const mine = new Set<string>();

/** Open approvals, oldest first. */
export const approvals: ReadonlySignal<readonly Approval[]> = open;

/** Number of open approvals. */
export const approvalCount: ReadonlySignal<number> = computed(() => open.value.length);

/** The approvals of one conversation. */
export function approvalsOf(conversation: string): readonly Approval[] {
  return open.value.filter((approval) => approval.conversation === conversation);
}

/** Whether an answer is being sent. */
export function isSending(id: string): boolean {
  return sending.value.has(id);
}

/** Follows the events about approvals. */
export function followApprovals(event: ServerEvent): void {
  if (event.type === 'snapshot') {
    const removed = open
      .peek()
      .filter(({ id }) => !mine.has(id) && !event.approvals.some((approval) => approval.id === id));
    for (const { id, tool } of removed) notifyLost(id, `${tool}: no longer needs an answer`);
    open.value = sorted(event.approvals);
  }
  if (event.type === 'approval') add(event.approval);
  else if (event.type === 'approval-answered') settle(event.answered);
}

/** Answers an approval and shows the decision. The first answer wins; for a later one, the page shows who was first. */
export async function answer(approval: Approval, decision: ApprovalAnswer): Promise<void> {
  if (sending.peek().has(approval.id)) return;
  mark(approval.id, true);
  mine.add(approval.id);
  try {
    await answerApproval(approval.id, decision);
    takeTyped(approval.id);
    remove(approval.id);
    notify(`${verdictOf(decision)}: ${aboutOf(approval, decision)}`);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    mine.delete(approval.id);
    if (error.answered) settle(error.answered);
    else notifyFailure(error.message);
    if (error.code === 'not-found') remove(approval.id);
  } finally {
    mark(approval.id, false);
  }
}

/** The decision in words. */
function verdictOf(answer: ApprovalAnswer): string {
  if (answer.decision === 'allow')
    return answer.input === undefined ? ALLOWED[answer.scope] : 'Allowed with your input';
  return answer.decision === 'deny' ? 'Denied' : 'Answered';
}

const ALLOWED: Readonly<Record<ApprovalScope, string>> = {
  once: 'Allowed once',
  session: 'Allowed for the session',
  always: 'Always allowed',
  mode: 'Allowed with all edits',
};

/** The subject of the decision, and who asked. */
function aboutOf({ kind, tool, argument, agent, conversationTitle }: Approval, decision: ApprovalAnswer): string {
  const call = shortened(visible(editedIn(decision) ?? argument));
  const what = kind === 'tool' ? [visible(tool), call].filter(Boolean).join(' ') : KINDS[kind];
  const title = `“${visible(conversationTitle) || 'Untitled conversation'}”`;
  return `${what}, for ${agent === null ? title : `${visible(agent)} in ${title}`}`;
}

/** The most informative part of an input that a person edited; it is JSON when it is sent. */
function editedIn(decision: ApprovalAnswer): string | undefined {
  if (decision.decision !== 'allow' || decision.input === undefined) return undefined;
  return argumentOf(fieldsOf(JSON.parse(decision.input)), (text) => text);
}

const KINDS = { question: 'a question', plan: 'a plan' } as const;

/** Shortens a command or a path in the middle: both ends are the most informative. */
function shortened(text: string): string {
  return text.length <= 90 ? text : `${text.slice(0, 50)} … ${text.slice(-36)}`;
}

function add(approval: Approval): void {
  open.value = sorted([...open.peek().filter(({ id }) => id !== approval.id), approval]);
}

function settle(answered: AnsweredApproval): void {
  const approval = open.peek().find(({ id }) => id === answered.id);
  if (approval !== undefined && !mine.has(answered.id))
    notifyLost(answered.id, `${approval.tool}: ${verdict(answered)}`);
  remove(answered.id);
}

/** Shows that someone else has answered. Text typed for the request stays on the page until it is closed. */
function notifyLost(id: string, words: string): void {
  const text = takeTyped(id);
  if (text === '') notify(words);
  else notifyUnsent(`${words}. What you typed was not sent:`, text);
}

/** The decision and its author, in words. */
function verdict({ decision, by }: AnsweredApproval): string {
  return `${decisionInWords(decision)}${by === null ? '' : ` by ${by}`}`;
}

function remove(id: string): void {
  open.value = open.peek().filter((approval) => approval.id !== id);
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
