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
    for (const field of expected.required) if (!Object.hasOwn(input, field)) this.#report(event, field, 'missing');
    for (const field of Object.keys(input)) if (!expected.all.has(field)) this.#report(event, field, 'new');
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

export interface ExpectedFields {
  readonly all: ReadonlySet<string>;
  /** Those that every release sends. */
  readonly required: readonly string[];
}

/** The fields an event is known to have; `undefined` for an unknown event. */
export function expectedFields(event: string): ExpectedFields | undefined {
  return FIELDS.get(event);
}

const BASE = 'hook_event_name session_id transcript_path cwd prompt_id? permission_mode? agent_id? agent_type? effort?';
const CALL = 'tool_name tool_input mcp_server?';
const SWITCH =
  'from_model to_model requested_model source context_tokens? prompt_cache_warm? cache_ttl? estimated_cache_write_usd? pricing?';
const STOP = 'stop_hook_active last_assistant_message? background_tasks? session_crons?';
const TASK = 'task_id task_subject task_description? teammate_name? team_name?';

/** The fields of each event beyond those of every event; `?` marks an optional one. */
const OWN = {
  PreToolUse: `${CALL} tool_use_id`,
  PostToolUse: `${CALL} tool_use_id tool_response duration_ms?`,
  PostToolUseFailure: `${CALL} tool_use_id error is_interrupt? duration_ms?`,
  PostToolBatch: 'tool_calls',
  PermissionRequest: `${CALL} tool_use_id? permission_suggestions?`,
  PermissionDenied: `${CALL} tool_use_id reason`,
  UserPromptSubmit: 'prompt source? session_title?',
  UserPromptExpansion: 'expansion_type command_name command_args command_source? prompt',
  SessionStart:
    'source model? session_title? seconds_since_last_response? context_tokens? prompt_cache_likely_expired? estimated_cache_write_usd?',
  SessionEnd: 'reason',
  Setup: 'trigger',
  Stop: STOP,
  StopFailure: 'error error_details? last_assistant_message?',
  SubagentStart: '',
  SubagentStop: `${STOP} agent_transcript_path`,
  PreCompact: 'trigger custom_instructions',
  PostCompact: 'trigger compact_summary',
  PreModelSwitch: SWITCH,
  PostModelSwitch: SWITCH,
  Notification: 'message title? notification_type',
  Elicitation: 'mcp_server_name message mode? url? elicitation_id? requested_schema?',
  ElicitationResult: 'mcp_server_name action content? mode? elicitation_id?',
  ConfigChange: 'source file_path?',
  InstructionsLoaded: 'file_path memory_type load_reason globs? trigger_file_path? parent_file_path?',
  WorktreeCreate: 'name',
  WorktreeRemove: 'worktree_path',
  CwdChanged: 'old_cwd new_cwd',
  FileChanged: 'file_path event',
  DirectoryAdded: 'directory source',
  TeammateIdle: 'teammate_name team_name?',
  TaskCreated: TASK,
  TaskCompleted: TASK,
  MessageDisplay: 'turn_id message_id index final delta',
} as const;

const FIELDS: ReadonlyMap<string, ExpectedFields> = new Map(
  Object.entries(OWN satisfies Checked).map(([event, own]) => {
    const names = `${BASE satisfies CheckedBase} ${own}`.trim().split(' ');
    const all = new Set(names.map((name) => name.replace('?', '')));
    return [event, { all, required: names.filter((name) => !name.endsWith('?')) }];
  }),
);

/** The compiler compares the names with the input types. */
type Checked = {
  readonly [E in KnownHookEvent]: Same<Words<(typeof OWN)[E]>, Fields<Omit<HookInputs[E], keyof HookInputBase>>>;
};
type CheckedBase = Same<Words<typeof BASE>, Fields<HookInputBase>>;
type Same<A, B> = [A, B] extends [B, A] ? string : never;
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Exclude<Text, ''>;
type Fields<T> = { [K in keyof T & string]-?: Record<never, never> extends Pick<T, K> ? `${K}?` : K }[keyof T & string];
