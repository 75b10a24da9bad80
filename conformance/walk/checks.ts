import type { ApiRequest } from '@coxswain/testkit';
import type { Disturbance, Ending, Entry, Ledger } from './ledger.ts';
import { tokensIn } from './prompt.ts';
import { heardIn } from './responder.ts';
import type { Walk, WalkMode } from './steps.ts';

/** Something that must not happen. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** The state after a walk. */
export interface Aftermath {
  readonly walk: Walk;
  readonly ledger: Ledger;
  readonly requests: readonly ApiRequest[];
  /** The files that prompts have written, by token. */
  readonly written: ReadonlySet<string>;
  readonly processes: readonly string[];
}

/** Compares what happened with what the walk requested. */
export function violationsOf(aftermath: Aftermath): Violation[] {
  const { ledger, processes } = aftermath;
  const turns = ledger.entries.filter(({ how }) => how === 'send' || how === 'fork');
  return [
    ...ledger.problems,
    ...turns.flatMap((entry) => [
      ...checkEnding(ledger, entry),
      ...checkAnswer(ledger, entry),
      ...checkTakenBack(ledger, entry),
      ...checkInterrupted(ledger, entry),
      ...checkTimeout(entry),
      ...checkMode(aftermath, entry),
      ...checkAskedOnce(aftermath, entry),
    ]),
    ...checkObserved(ledger),
    ...processes.map((command) => ({ rule: 'a process remains', detail: command })),
  ];
}

/** A turn ends with a result or with an error that a step of the walk caused. */
function checkEnding(ledger: Ledger, entry: Entry): Violation[] {
  const { ending } = entry;
  if (!ending) return [violation('a turn never ends', entry)];
  if (killedDuring(ledger, entry)) return [];
  if (ending.kind === 'error') {
    const caused =
      (ending.name === 'AbortError' && (entry.abortedAt ?? entry.cancelledAt) !== undefined) ||
      (ending.name === 'TimeoutError' && entry.timeoutMs !== undefined) ||
      (ending.name === 'TurnCancelledError' && entry.cancelledAt !== undefined);
    return caused ? [] : [violation('a turn fails without a cause', entry)];
  }
  if (ending.outcome === 'completed') return [];
  if (INTERRUPTED.has(ending.outcome) && interruptedDuring(ledger, entry)) return [];
  return [violation('a turn ends in a way that no step caused', entry)];
}

/** How an interrupted turn ends; before 2.1.325 it is refused instead while the hook of its prompt is pending. */
const INTERRUPTED: ReadonlySet<string> = new Set(['interrupted', 'stopped-by-hook']);

/** The answer is to this prompt, and not to another one with its own answer. */
function checkAnswer(ledger: Ledger, entry: Entry): Violation[] {
  const { ending, plan } = entry;
  if (!isCompleted(ending)) return [];
  const steers = ledger.entries.filter(({ into }) => into === plan.token).map((steer) => steer.plan.token);
  const last = tokensIn(ending.text);
  const all = tokensIn(entry.results.join(' '));
  const own = [plan.token, ...steers];
  if (!last.some((token) => own.includes(token))) return [violation("a turn gets another one's answer", entry)];
  const interrupted = interruptedDuring(ledger, entry) || killedDuring(ledger, entry);
  if (!all.includes(plan.token) && !interrupted) return [violation('a turn is not answered', entry)];
  const foreign = all.filter((token) => !own.includes(token) && isAnswered(ledger, token));
  return foreign.length > 0 ? [violation(`a turn gets the answer to ${foreign}`, entry)] : [];
}

/** An interrupt cancels text that was sent just before it, and ends the turn. */
function checkTakenBack(ledger: Ledger, entry: Entry): Violation[] {
  const { ending, plan } = entry;
  if (!isCompleted(ending)) return [];
  const takenBack = ledger.entries.filter(({ into, cancelledAt }) => into === plan.token && cancelledAt !== undefined);
  const answered = takenBack.filter((steer) => tokensIn(ending.text).includes(steer.plan.token));
  return answered.map((steer) => violation(`a turn continues with ${steer.plan.token} after an interrupt`, entry));
}

/** A turn that was interrupted before its prompt reached the model is not answered, but a later steer may be. */
function checkInterrupted(ledger: Ledger, entry: Entry): Violation[] {
  const { ending, cancelledAt = Number.POSITIVE_INFINITY, plan } = entry;
  const heardAt = ledger.heardAt.get(plan.token) ?? 0;
  const answered = isCompleted(ending) && tokensIn(ending.text).includes(plan.token);
  return answered && heardAt > cancelledAt ? [violation('an interrupt is lost', entry)] : [];
}

/** The model takes longer than the turn's timeout. */
function checkTimeout(entry: Entry): Violation[] {
  const { ending, timeoutMs, plan } = entry;
  const tooSlow = timeoutMs !== undefined && plan.slowMs > timeoutMs + 500;
  return tooSlow && isCompleted(ending) ? [violation('a timeout is lost', entry)] : [];
}

/** Only a turn in `acceptEdits` writes, and it can. */
function checkMode(aftermath: Aftermath, entry: Entry): Violation[] {
  const { ledger, written } = aftermath;
  if (!entry.plan.acts.some((act) => act.do === 'write')) return [];
  const mode = modeOf(aftermath, entry);
  const wrote = written.has(entry.plan.token);
  if (mode === 'plan' && wrote) return [violation('a prompt writes in plan mode', entry)];
  const disturbed = interruptedDuring(ledger, entry) || killedDuring(ledger, entry);
  if (mode === 'acceptEdits' && !wrote && !disturbed && isAnswered(ledger, entry.plan.token)) {
    return [violation('a prompt cannot write in acceptEdits mode', entry)];
  }
  return [];
}

/** The mode in which a prompt ran, if known: not if it was changed while the prompt ran. */
function modeOf({ walk, ledger }: Aftermath, entry: Entry): WalkMode | undefined {
  const [from, to] = timeOf(ledger, entry);
  const changes = ledger.disturbances.filter(({ what, lane }) => what === 'mode' && lane === entry.lane);
  if (changes.some((change) => overlaps(change, from, to))) return undefined;
  if (entry.mode !== undefined) return entry.mode;
  const earlier = changes.filter((change) => change.from < from).at(-1);
  return earlier ? earlier.mode : walk.mode;
}

/**
 * A prompt that was answered was sent to the model once. One that had joined a run and was interrupted is repeated: the CLI
 * puts it after the interrupt in later requests.
 */
function checkAskedOnce({ ledger, requests }: Aftermath, entry: Entry): Violation[] {
  if (!isCompleted(entry.ending) || killedDuring(ledger, entry)) return [];
  const asked = requests.filter((request) => heardIn(request).includes(entry.plan.token));
  return asked.length > 1 ? [violation(`a prompt is sent to the model ${asked.length} times`, entry)] : [];
}

/** Every answer belongs to a prompt: none is lost while its turn has another answer, or none yet. */
function checkObserved(ledger: Ledger): Violation[] {
  return ledger.observed
    .filter(({ turn }) => turn === null)
    .flatMap(({ text }) => tokensIn(text))
    .flatMap((token) => ledger.entries.filter(({ plan, how }) => plan.token === token && how === 'send'))
    .filter(({ ending, plan }) => !ending || (isCompleted(ending) && !tokensIn(ending.text).includes(plan.token)))
    .map((entry) => violation('an answer belongs to no turn', entry));
}

function isCompleted(ending: Ending | undefined): ending is Extract<Ending, { kind: 'result' }> {
  return ending?.kind === 'result' && ending.outcome === 'completed';
}

function isAnswered(ledger: Ledger, token: string): boolean {
  const entry = ledger.entries.find(({ plan }) => plan.token === token);
  return isCompleted(entry?.ending) && tokensIn(entry?.results.join(' ') ?? '').includes(token);
}

function interruptedDuring(ledger: Ledger, entry: Entry): boolean {
  return disturbed(ledger, entry, 'interrupt') || entry.cancelledAt !== undefined;
}

/** The effects of a kill may show a little later. */
function killedDuring(ledger: Ledger, entry: Entry): boolean {
  return disturbed(ledger, entry, 'kill');
}

function disturbed(ledger: Ledger, entry: Entry, what: Disturbance['what']): boolean {
  const [from, to] =
    what === 'kill' ? [entry.sentAt, entry.settledAt ?? Number.POSITIVE_INFINITY] : timeOf(ledger, entry);
  return ledger.disturbances.some(
    (disturbance) => disturbance.what === what && disturbance.lane === entry.lane && overlaps(disturbance, from, to),
  );
}

/** When a turn may have run: from the end of all turns before it to its own. */
function timeOf(ledger: Ledger, entry: Entry): [number, number] {
  const before = ledger.entries.slice(0, ledger.entries.indexOf(entry));
  const ends = before
    .filter(({ how, lane }) => how === 'send' && lane === entry.lane)
    .map(({ settledAt = Number.POSITIVE_INFINITY }) => settledAt);
  return [Math.max(entry.sentAt, ...ends) - SKEW_MS, entry.settledAt ?? Number.POSITIVE_INFINITY];
}

function overlaps({ from, to: until = Number.POSITIVE_INFINITY }: Disturbance, start: number, end: number): boolean {
  return from <= end && until >= start;
}

/** Ends are recorded after their promises have settled. */
const SKEW_MS = 20;

function violation(rule: string, entry: Entry): Violation {
  const { plan, ending, mode, lane } = entry;
  const how = ending?.kind === 'error' ? `${ending.name}: ${ending.message}` : JSON.stringify(ending?.text);
  const outcome = ending?.kind === 'result' ? `${ending.outcome} ` : '';
  return { rule, detail: `${plan.token} (${lane}${mode ? `, ${mode}` : ''}): ${outcome}${how}` };
}
