import type { JsonObject } from '../../json.ts';
import type { ResultFields } from '../script-data.ts';
import type { World } from './effects.ts';
import { noUsage, type Usage } from './frames/usage.ts';

/** A prompt that waits for its turn. */
export interface QueuedPrompt {
  readonly uuid: string | undefined;
  readonly content: string | readonly JsonObject[];
  readonly text: string;
  readonly timestamp: string;
}

/** One running turn: of the agent, or of a subagent inside it. */
export interface Turn {
  readonly promptId: string;
  readonly prompt: string;
  readonly startedAt: number;
  /** Who speaks: the origin that every message of the turn carries. */
  readonly speaker: Speaker;
  /** The origin in the result, when the turn was not started by a prompt. */
  readonly origin: JsonObject | undefined;
  /** The prompts that joined the turn after it started. */
  readonly joined: QueuedPrompt[];
  /** The prompts that a hook kept out of this turn; they get a separate turn. */
  readonly putOff: Set<QueuedPrompt>;
  readonly prompts: readonly QueuedPrompt[];
  phase: 'speaking' | 'tools' | 'over';
  message: ApiMessage | undefined;
  apiMessages: number;
  userMessages: number;
  usage: Usage;
  apiMs: number;
  requestedAt: number | undefined;
  firstTokenAt: number | undefined;
  lastText: string;
  stopReason: string | null;
  readonly denials: JsonObject[];
  /** Whether a call of the last tool round was refused. */
  wasRefused: boolean;
  /** Why structured outputs were rejected so far. */
  readonly rejectedOutputs: string[];
  /** Whether the model was reminded that it has to give a structured output. */
  remindedOfOutput: boolean;
  /** Tool uses that have no result yet. */
  readonly openTools: Set<string>;
  /** The agents this turn started, by type. */
  readonly subagents: Map<string, number>;
  /** Whether the prompts have been echoed. */
  replayed: boolean;
  /** Whether a message has named the prompts. */
  announced: boolean;
  /** What the script sets in the result. */
  resultFields: ResultFields;
  resultSent: boolean;
  stopHookActive: boolean;
}

/** Who speaks in a turn. */
export interface Speaker {
  /** `parent_tool_use_id` and, for a subagent, what identifies it. */
  readonly fields: JsonObject;
  /** A subagent's text and stream are not shown. */
  readonly quiet: boolean;
  /** Its text is shown all the same. */
  readonly speaks?: boolean;
  /** Reports a tool call before it is shown. */
  readonly toolCalled?: (call: { readonly name: string; readonly input: JsonObject }) => void;
}

/** An API message in progress. */
export interface ApiMessage {
  readonly id: string;
  readonly number: string;
  readonly startedAt: number;
  readonly inputTokens: number;
  blocks: number;
  outputTokens: number;
  thinkingTokens: number;
  /** Whether a block has started and not ended. */
  blockOpen: boolean;
}

/** The agent itself. */
const agent: Speaker = { fields: { parent_tool_use_id: null }, quiet: false };

export function newTurn(
  { world }: { readonly world: World },
  what: { prompt: string; prompts?: readonly QueuedPrompt[]; speaker?: Speaker; origin?: JsonObject | undefined },
): Turn {
  return {
    promptId: world.newId(),
    prompt: what.prompt,
    startedAt: world.now(),
    speaker: what.speaker ?? agent,
    origin: what.origin,
    joined: [],
    putOff: new Set(),
    prompts: what.prompts ?? [],
    phase: 'speaking',
    message: undefined,
    apiMessages: 0,
    userMessages: 0,
    usage: noUsage,
    apiMs: 0,
    requestedAt: undefined,
    firstTokenAt: undefined,
    lastText: '',
    stopReason: null,
    denials: [],
    wasRefused: false,
    rejectedOutputs: [],
    remindedOfOutput: false,
    openTools: new Set(),
    subagents: new Map(),
    replayed: false,
    announced: false,
    resultFields: {},
    resultSent: false,
    stopHookActive: false,
  };
}

/** The uuids of the prompts a turn answers. */
export function uuidsOf(turn: Turn): string[] {
  return [...turn.prompts, ...turn.joined].flatMap(({ uuid }) => uuid ?? []);
}
