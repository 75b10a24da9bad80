import type { TurnSettings } from '../conversation/turn-settings.ts';
import { field, sessionIdOf } from '../messages/fields.ts';
import { NO_CONVERSATION } from '../messages/outcome.ts';
import type { RunPlan } from '../options/plan.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';

/** The known state of the conversation that the next process continues. The functions below return the next state. */
export interface ResumeState {
  readonly id: string | undefined;
  /**
   * Whether the CLI has it on disk. `begun`: a prompt was taken up, so it should be there. `kept`: an answer was finished,
   * so it must be, once the CLI has had a moment to write it.
   */
  readonly onDisk: 'no' | 'begun' | 'kept';
  /** When the first answer was finished, in ms since the epoch. */
  readonly keptAt: number;
  /** The model has answered in it. */
  readonly answered: boolean;
  /** It is the conversation of the options, until a `clear()`. */
  readonly original: boolean;
  /** The start mode that the CLI has refused since the last successful start. */
  readonly refusedAs: StartMode | undefined;
}

/** How the next process gets the conversation: it resumes it by its id, or repeats the first start. */
export type StartMode = 'resume' | 'repeat';

export function initialResumeState(options: RunPlan['options'], id: string | undefined): ResumeState {
  // `resumeAt` and `forkSession` take effect only when the first prompt is taken up.
  const taken = options.resume !== undefined && options.resumeAt === undefined && !options.forkSession;
  const onDisk = taken ? 'kept' : 'no';
  return { id, onDisk, keptAt: Number.NEGATIVE_INFINITY, answered: false, original: true, refusedAs: undefined };
}

export function afterMessage(state: ResumeState, message: Message, now: number): ResumeState {
  if (!RELEVANT.has(message.type)) return state;
  const known = identified(state, sessionIdOf(message));
  if (message.type === 'result') {
    return known.answered && known.onDisk !== 'kept' ? { ...known, onDisk: 'kept', keptAt: now } : known;
  }
  // The transcript is written before the echo of the prompt, and after `system/init`.
  if (message.type === 'user' && message.isReplay !== true) return known;
  if (message.type === 'system') return known;
  // A message that the CLI writes for the model follows an echo, or a command such as /clear, which leaves nothing on disk.
  if (message.type === 'assistant' && field(message.message, 'model') === '<synthetic>') return known;
  const answered = known.answered || message.type === 'assistant';
  if (known.onDisk !== 'no' && answered === known.answered) return known;
  return { ...known, onDisk: known.onDisk === 'no' ? 'begun' : known.onDisk, answered };
}

/** The start mode of the next process. */
export function startMode({ id, onDisk }: ResumeState): StartMode {
  return id !== undefined && onDisk !== 'no' ? 'resume' : 'repeat';
}

/** The CLI has started with the conversation: earlier refusals no longer matter. */
export function afterStart(state: ResumeState): ResumeState {
  return state.refusedAs === undefined ? state : { ...state, refusedAs: undefined };
}

/** The facts about a refusal of the conversation. */
export interface Refusal {
  readonly words: string;
  /** When the last CLI that was ready died. */
  readonly diedAt: number;
  /** A new id, in case the conversation needs one. */
  readonly newId: string;
}

/**
 * The CLI exited instead of starting with the conversation. It is not always known whether a prompt was on disk when the last
 * process died: then the other mode is tried. When both are refused, the transcript exists and is empty, as 2.1.197 and
 * 2.1.290 leave it after `/clear`: the conversation begins under a new id. Returns `lost` when a conversation has vanished,
 * `undefined` when the CLI failed for another reason.
 */
export function afterRefusal(state: ResumeState, tried: StartMode, refusal: Refusal): ResumeState | 'lost' | undefined {
  const { onDisk, keptAt, refusedAs } = state;
  const inUse = tried === 'repeat' && refusal.words.includes('is already in use');
  if (!inUse && !refusal.words.includes(NO_CONVERSATION)) return undefined;
  if (!inUse && (tried === 'repeat' || (onDisk === 'kept' && refusal.diedAt - keptAt > WRITE_MS))) return 'lost';
  if (refusedAs !== undefined && refusedAs !== tried) {
    return { ...state, id: refusal.newId, ...EMPTY, refusedAs: undefined };
  }
  return inUse ? { ...state, onDisk: 'begun', refusedAs: tried } : { ...state, ...EMPTY, refusedAs: tried };
}

/** The warnings for a conversation that the CLI refused and that is started in the other mode. */
export function refusalWarnings(before: ResumeState, after: ResumeState): Warning[] {
  const warnings: Warning[] = [];
  const [sessionId, earlier] = [after.id ?? null, before.id ?? null];
  if (before.onDisk === 'kept') {
    const message = 'The CLI died before it had written the conversation to disk, so the conversation starts over.';
    warnings.push(warning('conversation-lost', message, { sessionId: earlier }));
  }
  if (sessionId !== earlier) {
    const message = 'The CLI does not release the id of an empty conversation, so it continues under a new id.';
    warnings.push(warning('session-id-changed', message, { sessionId, before: earlier }));
  }
  return warnings;
}

/** The plan for the next process: `resumeAt` and a fork are not repeated, and settings are as they were last. */
export function nextPlan(plan: RunPlan, state: ResumeState, mode: StartMode, settings: TurnSettings): RunPlan {
  const { sessionId, resume, resumeAt, continue: _, forkSession, ...others } = plan.options;
  const { id, original } = state;
  const chosen = resume !== undefined || plan.options.continue === true;
  const found =
    mode === 'resume'
      ? { ...others, resume: id }
      : original && chosen
        ? { ...plan.options, sessionId: forkSession ? id : sessionId }
        : { ...others, sessionId: id };
  return { ...plan, options: { ...found, ...lastSettings(plan.options, settings) }, warnings: [] };
}

/** 2.1.197 had nothing on disk 0.1 s after its first answer; a busy machine may take longer. */
const WRITE_MS = 1_000;

const EMPTY = { onDisk: 'no', keptAt: 0, answered: false } as const;

const RELEVANT: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'result']);

function identified(state: ResumeState, id: string | undefined): ResumeState {
  if (id === undefined || id === state.id) return state;
  if (state.id === undefined) return { ...state, id };
  return { id, ...EMPTY, original: false, refusedAs: undefined };
}

function lastSettings(options: RunPlan['options'], settings: TurnSettings): Partial<RunPlan['options']> {
  const { model = options.model, permissionMode = options.permissionMode, maxThinkingTokens: tokens } = settings;
  if (tokens === undefined) return { model, permissionMode };
  return { model, permissionMode, maxThinkingTokens: tokens || undefined, thinking: tokens === 0 ? OFF : undefined };
}

const OFF = { type: 'disabled' } as const;
