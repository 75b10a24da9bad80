import { type Warning, warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { KnownHookEvent } from './hook-events.ts';
import type { HookInputBase, HookInputs } from './hook-inputs.ts';

/**
 * Warns about missing and new fields in hook inputs, once per event and field. The hook gets the input as it is: a renamed
 * field must not switch a guard off.
 */
export class InputDrift {
  readonly #warn: (warning: Warning) => void;
  readonly #warned = new Set<string>();

  constructor(warn: (warning: Warning) => void) {
    this.#warn = warn;
  }

  check(event: string, input: JsonObject): void {
    const expected = expectedFields(event);
    if (expected === undefined) return;
    for (const [field, always] of Object.entries(expected)) {
      if (always && !Object.hasOwn(input, field)) this.#report(event, field, 'missing');
    }
    for (const field of Object.keys(input)) if (!Object.hasOwn(expected, field)) this.#report(event, field, 'new');
  }

  #report(event: string, field: string, change: 'missing' | 'new'): void {
    const key = `${event}.${field}`;
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    const message =
      change === 'missing'
        ? `The CLI sent a ${event} hook without ${field}. The hook still runs; check that it does not need the field.`
        : `The CLI sent a ${event} hook with the unknown field ${field}. The hook gets it.`;
    this.#warn(warning('hook-input-changed', message, { event, field, change }));
  }
}

/** True for a field that every release sends with the event, false for an optional one. */
export type ExpectedFields = Readonly<Record<string, boolean>>;

/** The fields an event is known to have; `undefined` for an unknown event. */
export function expectedFields(event: string): ExpectedFields | undefined {
  return expected.get(event);
}

type FieldsOf<Input> = {
  readonly [K in Exclude<keyof Input, keyof HookInputBase | 'hook_event_name'>]-?: Record<never, never> extends Pick<
    Input,
    K
  >
    ? false
    : true;
};

const base: { readonly [K in keyof HookInputBase | 'hook_event_name']-?: boolean } = {
  hook_event_name: true,
  session_id: true,
  transcript_path: true,
  cwd: true,
  prompt_id: false,
  permission_mode: false,
  agent_id: false,
  agent_type: false,
  effort: false,
};

const task = {
  task_id: true,
  task_subject: true,
  task_description: false,
  teammate_name: false,
  team_name: false,
} as const;

const modelSwitch = {
  from_model: true,
  to_model: true,
  requested_model: true,
  source: true,
  context_tokens: false,
  prompt_cache_warm: false,
  cache_ttl: false,
  estimated_cache_write_usd: false,
  pricing: false,
} as const;

const call = { tool_name: true, tool_input: true, tool_use_id: true, mcp_server: false } as const;

/** The fields of each event beyond {@link base}. The compiler checks them against the input types. */
const own: { readonly [E in KnownHookEvent]: FieldsOf<HookInputs[E]> } = {
  PreToolUse: call,
  PostToolUse: { ...call, tool_response: true, duration_ms: false },
  PostToolUseFailure: { ...call, error: true, is_interrupt: false, duration_ms: false },
  PostToolBatch: { tool_calls: true },
  PermissionRequest: { ...call, tool_use_id: false, permission_suggestions: false },
  PermissionDenied: { ...call, reason: true },
  UserPromptSubmit: { prompt: true, source: false, session_title: false },
  UserPromptExpansion: {
    expansion_type: true,
    command_name: true,
    command_args: true,
    command_source: false,
    prompt: true,
  },
  SessionStart: {
    source: true,
    model: false,
    session_title: false,
    seconds_since_last_response: false,
    context_tokens: false,
    prompt_cache_likely_expired: false,
    estimated_cache_write_usd: false,
  },
  SessionEnd: { reason: true },
  Setup: { trigger: true },
  Stop: { stop_hook_active: true, last_assistant_message: false, background_tasks: false, session_crons: false },
  StopFailure: { error: true, error_details: false, last_assistant_message: false },
  SubagentStart: {},
  SubagentStop: {
    stop_hook_active: true,
    agent_transcript_path: true,
    last_assistant_message: false,
    background_tasks: false,
    session_crons: false,
  },
  PreCompact: { trigger: true, custom_instructions: true },
  PostCompact: { trigger: true, compact_summary: true },
  PreModelSwitch: modelSwitch,
  PostModelSwitch: modelSwitch,
  Notification: { message: true, title: false, notification_type: true },
  Elicitation: {
    mcp_server_name: true,
    message: true,
    mode: false,
    url: false,
    elicitation_id: false,
    requested_schema: false,
  },
  ElicitationResult: { mcp_server_name: true, action: true, content: false, mode: false, elicitation_id: false },
  ConfigChange: { source: true, file_path: false },
  InstructionsLoaded: {
    file_path: true,
    memory_type: true,
    load_reason: true,
    globs: false,
    trigger_file_path: false,
    parent_file_path: false,
  },
  WorktreeCreate: { name: true },
  WorktreeRemove: { worktree_path: true },
  CwdChanged: { old_cwd: true, new_cwd: true },
  FileChanged: { file_path: true, event: true },
  DirectoryAdded: { directory: true, source: true },
  TeammateIdle: { teammate_name: true, team_name: false },
  TaskCreated: task,
  TaskCompleted: task,
  MessageDisplay: { turn_id: true, message_id: true, index: true, final: true, delta: true },
};

const expected: ReadonlyMap<string, ExpectedFields> = new Map(
  Object.entries(own).map(([event, fields]) => [event, { ...base, ...fields }]),
);
