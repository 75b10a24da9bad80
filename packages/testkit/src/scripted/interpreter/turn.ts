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
  /** The speaker, whose identity every message of the turn carries. */
  readonly speaker: Speaker;
  /** The uuid of the CLI's own prompt, in a run that continues a deferred call. */
  readonly continues: string | undefined;
  /** The origin in the result, if a prompt did not start the turn. */
  readonly origin: JsonObject | undefined;
  /** The prompts that joined the turn after it started. */
  readonly joined: QueuedPrompt[];
  /** The prompts that a hook deferred to a separate turn. */
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
  /** True if a call of the last tool round was refused. */
  wasRefused: boolean;
  /** The reasons for rejected structured outputs. */
  readonly rejectedOutputs: string[];
  /** True if the model was reminded to return a structured output. */
  remindedOfOutput: boolean;
  /** Tool uses without a result. */
  readonly openTools: Set<string>;
  /** The agents this turn started, by type. */
  readonly subagents: Map<string, number>;
  /** True once the prompts were echoed. */
  replayed: boolean;
  /** True once a message has named the prompts. */
  announced: boolean;
  /** The scripted fields of the result. */
  resultFields: ResultFields;
  resultSent: boolean;
  stopHookActive: boolean;
}

/** The speaker of a turn. */
export interface Speaker {
  /** `parent_tool_use_id` and, for a subagent, its identity. */
  readonly fields: JsonObject;
  /** True for a subagent, whose text and stream are hidden. */
  readonly quiet: boolean;
  /** True if its text is nevertheless written. */
  readonly speaks?: boolean;
  /** Called before a tool call is written. */
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
  /** True while a block is open. */
  blockOpen: boolean;
}

/** The agent itself. */
const agent: Speaker = { fields: { parent_tool_use_id: null }, quiet: false };

export function newTurn(
  { world }: { readonly world: World },
  what: {
    prompt: string;
    prompts?: readonly QueuedPrompt[];
    speaker?: Speaker;
    origin?: JsonObject | undefined;
    continues?: string;
  },
): Turn {
  return {
    promptId: world.newId(),
    prompt: what.prompt,
    startedAt: world.now(),
    speaker: what.speaker ?? agent,
    continues: what.continues,
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
