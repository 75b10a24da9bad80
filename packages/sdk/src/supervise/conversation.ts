import type { RunPlan } from '../launch/plan.ts';
import { field, sessionIdOf } from '../messages/fields.ts';
import type { TurnSettings } from '../session/turn-settings.ts';
import type { Message } from '../wire/messages.ts';

/** What is known of the conversation that has to survive. `heard` never changes one, it returns the next. */
export interface Conversation {
  readonly id: string | undefined;
  /**
   * Whether the CLI has it on disk. `begun`: a prompt was taken up, so it should be there. `kept`: an answer was finished,
   * so it must be, once the CLI has had a moment to write it.
   */
  readonly onDisk: 'no' | 'begun' | 'kept';
  /** When the first answer was finished, in ms since the epoch. */
  readonly keptAt: number;
  /** The model has said something in it. */
  readonly answered: boolean;
  /** It is still the one the options ask for: after a `clear()` it is not. */
  readonly original: boolean;
  /** The way of taking it up that the CLI has refused since it was last taken up. */
  readonly refusedAs: Takeover | undefined;
}

/** How the next process takes a conversation up: by its id, or by starting as the first one did. */
export type Takeover = 'resume' | 'again';

/** What a session starts with. */
export function conversationOf(options: RunPlan['options'], id: string | undefined): Conversation {
  // Going back, and forking, are not done before the first prompt is taken up.
  const taken = options.resume !== undefined && options.resumeAt === undefined && !options.forkSession;
  const onDisk = taken ? 'kept' : 'no';
  return { id, onDisk, keptAt: Number.NEGATIVE_INFINITY, answered: false, original: true, refusedAs: undefined };
}

/** Takes in one message of the CLI. */
export function heard(conversation: Conversation, message: Message, now: number): Conversation {
  if (!TELLING.has(message.type)) return conversation;
  const known = identified(conversation, sessionIdOf(message));
  if (message.type === 'result') {
    return known.answered && known.onDisk !== 'kept' ? { ...known, onDisk: 'kept', keptAt: now } : known;
  }
  // The transcript is written before the echo of the prompt, and after `system/init`.
  if (message.type === 'user' && message.isReplay !== true) return known;
  if (message.type === 'system') return known;
  // What the CLI says in the place of the model follows an echo, or a command such as /clear, which leaves nothing on disk.
  if (message.type === 'assistant' && field(message.message, 'model') === '<synthetic>') return known;
  const answered = known.answered || message.type === 'assistant';
  if (known.onDisk !== 'no' && answered === known.answered) return known;
  return { ...known, onDisk: known.onDisk === 'no' ? 'begun' : known.onDisk, answered };
}

/** How to take it up, as far as is known. */
export function takeover({ id, onDisk }: Conversation): Takeover {
  return id !== undefined && onDisk !== 'no' ? 'resume' : 'again';
}

/** The CLI has taken it up: what another one refused before says nothing any more. */
export function takenUp(conversation: Conversation): Conversation {
  return conversation.refusedAs === undefined ? conversation : { ...conversation, refusedAs: undefined };
}

/** What is known when a CLI refuses a conversation. */
export interface Refusal {
  /** What the CLI said. */
  readonly words: string;
  /** When the last CLI that was ready died. */
  readonly diedAt: number;
  /** The id for the case that the conversation needs another. */
  readonly newId: string;
}

/**
 * The CLI left instead of taking the conversation up. Whether a prompt had reached the disk when the last process died
 * cannot always be known: then the other way is tried. When both are refused the transcript is there and holds nothing, as
 * 2.1.197 and 2.1.290 leave it after `/clear`: an empty conversation, which begins under a new id. `lost` when something had
 * been there, `undefined` when the CLI said nothing of the kind.
 */
export function refused(conversation: Conversation, tried: Takeover, told: Refusal): Conversation | 'lost' | undefined {
  const { onDisk, keptAt, refusedAs } = conversation;
  const inUse = tried === 'again' && /is already in use/.test(told.words);
  if (!inUse && !/No conversation found/.test(told.words)) return undefined;
  if (!inUse && (tried === 'again' || (onDisk === 'kept' && told.diedAt - keptAt > WRITE_MS))) return 'lost';
  if (refusedAs !== undefined && refusedAs !== tried) {
    return { ...conversation, id: told.newId, ...NOTHING_SAID, refusedAs: undefined };
  }
  return inUse
    ? { ...conversation, onDisk: 'begun', refusedAs: tried }
    : { ...conversation, ...NOTHING_SAID, refusedAs: tried };
}

/** The plan for the next process: `resumeAt` and a fork are not done twice, and settings are as they were last. */
export function nextPlan(plan: RunPlan, conversation: Conversation, how: Takeover, settings: TurnSettings): RunPlan {
  const { sessionId, resume, resumeAt, continue: _, forkSession, ...others } = plan.options;
  const { id, original } = conversation;
  const chosen = resume !== undefined || plan.options.continue === true;
  const found =
    how === 'resume'
      ? { ...others, resume: id }
      : original && chosen
        ? { ...plan.options, sessionId: forkSession ? id : sessionId }
        : { ...others, sessionId: id };
  return { ...plan, options: { ...found, ...lastSettings(plan.options, settings) }, warnings: [] };
}

/** 2.1.197 was seen to have nothing on disk 0.1 s after its first answer; it may take longer on a busy machine. */
const WRITE_MS = 1_000;

const NOTHING_SAID = { onDisk: 'no', keptAt: 0, answered: false } as const;

const TELLING: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'result']);

function identified(conversation: Conversation, id: string | undefined): Conversation {
  if (id === undefined || id === conversation.id) return conversation;
  if (conversation.id === undefined) return { ...conversation, id };
  return { id, ...NOTHING_SAID, original: false, refusedAs: undefined };
}

function lastSettings(options: RunPlan['options'], settings: TurnSettings): Partial<RunPlan['options']> {
  const { model = options.model, permissionMode = options.permissionMode, maxThinkingTokens: tokens } = settings;
  if (tokens === undefined) return { model, permissionMode };
  return { model, permissionMode, maxThinkingTokens: tokens || undefined, thinking: tokens === 0 ? OFF : undefined };
}

const OFF = { type: 'disabled' } as const;
