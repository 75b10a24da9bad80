import { isObject } from '@coxswain/shared/is-object';
import { allow, answerQuestions, deny, type PermissionDecision, type PermissionRequest } from 'coxswain';
import type { AnsweredApproval, Approval, ApprovalAnswer, ApprovalTerms, AuditEntry, AuditedRequest } from '../api.ts';
import type { Actor } from '../conversations/controls.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import type { Journal } from '../journal/journal.ts';
import { Refusal } from '../refusal.ts';
import { cut, SHOWN } from '../transcript/cut.ts';
import { fieldsOf } from '../transcript/fields.ts';
import { describeRequest, updatesFor } from './approval.ts';
import { approvalId, placeIn, placeOf } from './approval-id.ts';
import type { ApprovalStore, RequestContext, SettledBy } from './approval-store.ts';
import { describeDecision } from './describe-decision.ts';
import { type AskedQuestion, answersTo, questionsOf } from './questions.ts';
import { isDecision, settledMessage } from './settled-message.ts';

/** Number of answered requests kept, so that a late answer is refused with the name of the first person. */
const REMEMBERED = 500;

/** Error codes for a request that was already answered. */
const TOO_LATE = new Set<unknown>(['no-such-permission', 'approval-closed']);

interface OpenRequest {
  approval: Omit<Approval, 'conversationTitle'>;
  readonly record: ConversationRecord;
  readonly request: PermissionRequest;
  readonly questions: readonly AskedQuestion[];
  /** The person whose answer is being sent. */
  by: string | null;
}

/** The permission requests of all conversations that wait for a person. The first answer wins. */
export class OpenApprovals implements ApprovalStore<ConversationRecord> {
  readonly #journal: Journal;
  readonly #opened: (approval: Approval) => void;
  /** Open requests by place. */
  readonly #open = new Map<string, OpenRequest>();
  readonly #answered = new Map<string, { readonly answered: AnsweredApproval; readonly audited: AuditedRequest }>();

  /** `opened` is called with each new request. */
  constructor(journal: Journal, opened: (approval: Approval) => void = () => {}) {
    this.#journal = journal;
    this.#opened = opened;
  }

  list(): Approval[] {
    return [...this.#open.values()].map(shown);
  }

  listOf(conversation: string): Approval[] {
    return this.list().filter((approval) => approval.conversation === conversation);
  }

  openOf(conversation: string): number {
    let count = 0;
    for (const { record } of this.#open.values()) if (record.id === conversation) count += 1;
    return count;
  }

  answeredList(): AnsweredApproval[] {
    return Array.from(this.#answered.values(), ({ answered }) => answered).reverse();
  }

  /** The conversation and the description of a request, open or answered. */
  about(id: string): { readonly conversation: string; readonly about: string } {
    const open = this.#openWith(id);
    if (open) return { conversation: open.record.id, about: aboutOf(open) };
    const { conversation = '', what = '' } = this.#answered.get(id)?.audited ?? {};
    return { conversation, about: what };
  }

  /** Who was asked and who answered, newest first. */
  audited(): AuditedRequest[] {
    const ended = Array.from(this.#answered.values(), ({ audited }) => audited);
    return [...[...this.#open.values()].map(auditedOf), ...ended].sort((a, b) => b.askedAt - a.askedAt);
  }

  open(
    record: ConversationRecord,
    request: PermissionRequest,
    about: RequestContext & { readonly at: number; readonly entry: number | null },
  ): void {
    const { at, entry, before, terms = null } = about;
    const id = approvalId(record.id, request, record.redact);
    const place = placeOf(record.id, request.id);
    if (this.#open.has(place) && !this.#openWith(id)) this.settled(record.id, request.id, { decision: 'replaced', at });
    const storeFullText = (text: string): string =>
      `api/conversations/${record.id}/parts/${record.entries.keepPart(text)}`;
    const texts = {
      redact: record.redact,
      storeFullText,
      cut: (text: string) => cut(text, SHOWN.text, storeFullText),
    };
    const questions = questionsOf(request, record.redact);
    const agent = request.agentId === undefined ? null : (record.tasks.nameOf(request.agentId) ?? 'a subagent');
    const described = {
      ...describeRequest(request, texts, before),
      agent,
      questions: questions.map((asked) => asked.shown),
    };
    const head = { id, conversation: record.id, requestedAt: at, entry, terms };
    const open = { approval: { ...head, ...described }, record, request, questions, by: null };
    this.#open.set(place, open);
    this.#journal.note({ what: 'event', id: null, event: { type: 'approval', approval: shown(open) } });
    this.#opened(shown(open));
  }

  changeTerms(conversation: string, requestId: string, terms: ApprovalTerms): void {
    const open = this.#open.get(placeOf(conversation, requestId));
    if (!open) return;
    open.approval = { ...open.approval, terms };
    this.#journal.note({ what: 'event', id: null, event: { type: 'approval', approval: shown(open) } });
  }

  /** Removes a request that no longer needs an answer. Returns the id of its tool use. */
  settled(
    conversation: string,
    requestId: string,
    { decision, at, by = null, from, seenBy = [] }: SettledBy & { readonly decision: string; readonly at: number },
  ): string | undefined {
    const place = placeOf(conversation, requestId);
    const open = this.#open.get(place);
    if (!open) return undefined;
    this.#open.delete(place);
    const { id } = open.approval;
    const answered: AnsweredApproval = { id, conversation, decision, by: open.by ?? by, at };
    const fromHere = open.by === null ? null : 'page';
    const origin = fromHere ?? from ?? (isDecision(decision) ? 'program' : null);
    const audited = { ...auditedOf(open), answeredAt: at, decision, by: answered.by, from: origin, seenBy };
    this.#answered.set(id, { answered, audited });
    for (const oldest of this.#answered.keys()) if (this.#answered.size > REMEMBERED) this.#answered.delete(oldest);
    this.#journal.note({ what: 'event', id: null, event: { type: 'approval-answered', answered } });
    return open.request.toolUseId;
  }

  /** Removes the requests of a conversation that has ended. */
  dropOf(conversation: string, at: number): void {
    for (const { record, request } of [...this.#open.values()]) {
      if (record.id === conversation) this.settled(conversation, request.id, { decision: 'stopped', at });
    }
  }

  /** Answers a request. Returns the text for the audit. @throws Refusal */
  async answer(id: string, answer: ApprovalAnswer, actor: Actor): Promise<Pick<AuditEntry, 'note' | 'detail'>> {
    const open = this.#openWith(id);
    if (!open) throw this.#tooLate(id);
    if (open.by !== null) throw new Refusal('already-answered', `${open.by} is already answering this request.`);
    const { record, request } = open;
    const respond = record.controls.answer;
    if (!respond) throw new Refusal('not-possible', 'This request cannot be answered from here.');
    const decision = decisionOf(open, answer);
    open.by = actor.by;
    try {
      await respond(request.id, decision, actor);
    } catch (error) {
      if (!this.#openWith(id) || TOO_LATE.has(fieldsOf(error).code)) throw this.#tooLate(id);
      throw error;
    } finally {
      open.by = this.#openWith(id) ? null : open.by;
    }
    // The event about this answer may arrive later; from now on, further answers are refused.
    record.answered(request.id, decision.decision, Date.now());
    if (decision.decision === 'allow' && decision.updatedInput !== undefined && request.toolUseId !== undefined) {
      record.edited(request.toolUseId, decision.updatedInput);
    }
    return describeDecision(request, decision, record.redact, answer.decision === 'allow' ? answer.scope : null);
  }

  /** The open request with this id, not a later one at the same place. */
  #openWith(id: string): OpenRequest | undefined {
    const open = this.#open.get(placeIn(id));
    return open?.approval.id === id ? open : undefined;
  }

  #tooLate(id: string): Refusal {
    const answered = this.#answered.get(id)?.answered;
    if (!answered && this.#openWith(id))
      return new Refusal('already-answered', 'Another process answered this request first.');
    if (!answered) return new Refusal('not-found', 'There is no such request. It may have been answered long ago.');
    return new Refusal('already-answered', settledMessage(answered), answered);
  }
}

function aboutOf({ approval: { tool, argument } }: OpenRequest): string {
  return argument === '' ? tool : `${tool}: ${argument}`;
}

function auditedOf(open: OpenRequest): AuditedRequest {
  const { id, conversation, requestedAt, entry, terms } = open.approval;
  const head = { id, conversation, conversationTitle: open.record.summary().title, what: aboutOf(open), entry };
  const end = { answeredAt: null, decision: null, by: null, from: null };
  return { ...head, askedAt: requestedAt, groups: terms?.groups ?? null, seenBy: [], ...end };
}

function shown({ approval, record }: OpenRequest): Approval {
  return { ...approval, conversationTitle: record.summary().title };
}

/** @throws Refusal if the answer does not fit the request */
function decisionOf({ request, questions }: OpenRequest, answer: ApprovalAnswer): PermissionDecision {
  if (answer.decision === 'deny') {
    return deny(answer.reason, answer.interrupt === true ? { interrupt: true } : {});
  }
  if (answer.decision === 'answer') {
    if (request.kind !== 'question')
      throw new Refusal('bad-request', 'This request is not a question: allow or deny it.');
    return answerQuestions(answersTo(questions, answer.answers));
  }
  if (request.kind === 'question')
    throw new Refusal('bad-request', 'This request is a question: answer it, or deny it.');
  const updatedPermissions = answer.scope === 'once' ? [] : updatesFor(request, answer.scope);
  if (answer.scope !== 'once' && updatedPermissions.length === 0) {
    throw new Refusal('bad-request', `The CLI suggests no rule for "${answer.scope}": allow it once.`);
  }
  return allow({
    ...(answer.input !== undefined && { updatedInput: inputIn(answer.input) }),
    ...(updatedPermissions.length > 0 && { updatedPermissions }),
  });
}

function inputIn(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new Refusal('bad-request', 'The input must be a JSON object.');
}
