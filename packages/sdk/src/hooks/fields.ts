import type { KnownHookEvent } from './events.ts';
import type { HookInputBase, HookInputs } from './inputs.ts';

/** True for a field that every release sends with the event, false for one that may be missing. */
export type ExpectedFields = Readonly<Record<string, boolean>>;

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

/** The fields of each event beyond {@link base}; the compiler holds them against the input types. */
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

/** The fields an event is known to have; `undefined` for an event nobody knows. */
export function expectedFields(event: string): ExpectedFields | undefined {
  return expected.get(event);
}

/** Every event this release knows: those whose inputs have a type. */
export const knownHookEvents: readonly string[] = Object.keys(own);

/** True for an event this release knows. */
export function isKnownHookEvent(event: string): boolean {
  return expected.has(event);
}
