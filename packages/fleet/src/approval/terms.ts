import { isObject } from '@coxswain/shared/is-object';
import { problemOfName } from '../fleet/input.ts';

/** Who may answer an approval, and until when. */
export interface ApprovalTerms {
  /** The answer must come from a member of one of these; without groups, from anyone who can answer approvals. */
  readonly groups?: readonly string[] | undefined;
  /** Time for an answer; without a limit, the request waits until it is answered. */
  readonly expiresAfterMs?: number | undefined;
  /** What happens when that time is over: by default, the request is denied. */
  readonly onExpiry?: { readonly deny: string } | { readonly escalate: EscalatedTerms } | undefined;
}

/** Who may answer after an escalation, instead of the groups before; its time begins with the escalation. */
export interface EscalatedTerms extends ApprovalTerms {
  readonly groups: readonly string[];
}

/** One stage of an approval: its groups, and when it ends, in ms since the request. Without an end it lasts. */
export interface Stage {
  readonly groups: readonly string[] | null;
  readonly untilMs: number | null;
}

/** The stages of an approval, in order, and the reason for the agent if nobody answers. */
export interface Stages {
  readonly stages: readonly Stage[];
  readonly denyReason: string;
}

/** The stages of an approval without terms. */
const OPEN_STAGES: readonly Stage[] = [{ groups: null, untilMs: null }];

/** The stages of a row that was changed: nobody is in one of its groups. */
const CLOSED_STAGES: readonly Stage[] = [{ groups: [], untilMs: null }];

const MAX_STAGES = 10;

/** The queue keeps timers for longer than this. */
const LONGEST_MS = 5 * 365 * 24 * 3_600_000;

const EXPIRED = 'Nobody answered in time, so this was not allowed.';

/** Checks what `approvals()` of the agent returned. Returns the stages, or what is wrong. */
export function stagesOf(given: unknown): Stages | string {
  const stages: Stage[] = [];
  let [terms, untilMs, place] = [given ?? {}, 0, ''];
  for (;;) {
    const problem = problemOfTerms(terms, place);
    if (problem !== undefined) return problem;
    if (stages.length === MAX_STAGES) return `has more than ${MAX_STAGES} stages`;
    // Checked above.
    const { groups, expiresAfterMs, onExpiry = { deny: EXPIRED } } = terms as ApprovalTerms;
    if (expiresAfterMs !== undefined) untilMs += expiresAfterMs;
    stages.push({ groups: groups ?? null, untilMs: expiresAfterMs === undefined ? null : untilMs });
    if ('deny' in onExpiry) return { stages, denyReason: onExpiry.deny };
    terms = onExpiry.escalate;
    place += 'onExpiry.escalate.';
  }
}

/** The stages of a row. Without any, anyone may answer; of a row that was changed, nobody. */
export function storedStages(given: unknown): readonly Stage[] {
  if (given === null) return OPEN_STAGES;
  return Array.isArray(given) && given.length > 0 && given.every(isStage) ? given : CLOSED_STAGES;
}

function isStage(value: unknown): value is Stage {
  if (!isObject(value)) return false;
  const { groups, untilMs } = value;
  const isGroups = groups === null || (Array.isArray(groups) && groups.every((name) => typeof name === 'string'));
  return isGroups && (untilMs === null || typeof untilMs === 'number');
}

/** The stage at a time after the request, counted from 0; undefined if the last one has ended. */
export function stageAt(stages: readonly Stage[], ageMs: number): (Stage & { readonly n: number }) | undefined {
  const n = stages.findIndex(({ untilMs }) => untilMs === null || ageMs < untilMs);
  const stage = stages[n];
  return stage && { ...stage, n };
}

const FIELDS = ['groups', 'expiresAfterMs', 'onExpiry'];

function problemOfTerms(terms: unknown, place: string): string | undefined {
  if (!isObject(terms)) return `must have an object as ${place.slice(0, -1) || 'result'}`;
  const unknown = Object.keys(terms).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `has an unknown field ${place}${unknown}; use ${FIELDS.join(', ')}`;
  const { groups, expiresAfterMs: ms, onExpiry } = terms;
  if (groups === undefined && place !== '') return `must name groups in ${place}groups`;
  if (groups !== undefined) {
    const isList = Array.isArray(groups) && groups.length > 0;
    if (!isList || groups.some((name) => problemOfName(name) !== undefined))
      return `must have names as ${place}groups, at least one, each at most 500 bytes long`;
  }
  if (ms !== undefined && !(typeof ms === 'number' && ms >= 1 && ms <= LONGEST_MS))
    return `must have a number of milliseconds from 1 to ${LONGEST_MS} as ${place}expiresAfterMs`;
  if (onExpiry === undefined) return undefined;
  if (ms === undefined) return `has ${place}onExpiry without ${place}expiresAfterMs`;
  return problemOfExpiry(onExpiry, place);
}

function problemOfExpiry(onExpiry: unknown, place: string): string | undefined {
  const [name, ...more] = isObject(onExpiry) ? Object.keys(onExpiry) : [];
  if (!isObject(onExpiry) || more.length > 0 || (name !== 'deny' && name !== 'escalate'))
    return `must have { deny: reason } or { escalate: terms } as ${place}onExpiry`;
  if (name === 'deny' && (typeof onExpiry.deny !== 'string' || onExpiry.deny.includes('\0')))
    return `must have a reason as ${place}onExpiry.deny`;
  return undefined;
}
