import { releases } from '../../scripts/fetch/cli.mjs';

/** One way in which the scripted CLI differs from the real one, and why. */
export interface Difference {
  readonly releases: readonly string[];
  readonly scenarios: 'all' | readonly string[];
  /** The kind of frame; a star at its end matches anything. */
  readonly kind: string;
  /**
   * `only-real`, `only-scripted`: one side does not send it; `repeats`: how often in a row differs;
   * `anywhere`: number and position differ.
   */
  readonly how: 'only-real' | 'only-scripted' | 'repeats' | 'anywhere';
  /** Depends on a race, so it may not occur. */
  readonly sometimes?: boolean;
  readonly why: string;
}

const { pinned, tested: both } = releases();
const older = both.filter((version) => version !== pinned);

/** The scenarios whose conversations are in a session store. */
export const parked: readonly string[] = ['parked', 'parked-and-interrupted', 'parked-beside-another'];

/** All known differences; a test fails on an unlisted one, and on a listed one that no longer exists. */
export const differences: readonly Difference[] = [
  {
    releases: both,
    scenarios: ['partial-messages'],
    kind: 'stream_event content_block_delta text_delta',
    how: 'repeats',
    why: 'The scripted CLI streams word by word; the real one passes on the chunks of the API.',
  },
  {
    releases: both,
    scenarios: ['interrupted-while-streaming'],
    kind: 'stream_event content_block_delta text_delta',
    how: 'repeats',
    sometimes: true,
    why: 'The number of chunks before the interrupt depends on timing.',
  },
  {
    releases: both,
    scenarios: ['thinking', 'partial-messages'],
    kind: 'system thinking_tokens',
    how: 'anywhere',
    why: 'The scripted CLI counts after each word; the real one after each chunk of the API, including the signature.',
  },
  {
    releases: both,
    scenarios: [...parked, 'deferred-without-its-tool'],
    kind: 'transcript_mirror',
    how: 'anywhere',
    why: 'When the real CLI mirrors entries depends on timing, and it has entries that the scripted one does not write.',
  },
  {
    releases: both,
    scenarios: parked,
    kind: 'attachment',
    how: 'only-real',
    why: 'The real CLI also reports the hooks of a call that is asked again as messages.',
  },
  {
    releases: both,
    scenarios: ['deferred-without-its-tool'],
    kind: 'control_request mcp_message *',
    how: 'anywhere',
    sometimes: true,
    why: "The host's server connects while the run ends.",
  },
  {
    releases: both,
    scenarios: ['deferred-without-its-tool'],
    kind: 'control_response success',
    how: 'anywhere',
    sometimes: true,
    why: 'The answers of that server are echoed.',
  },
  {
    releases: older,
    scenarios: ['cost-after-resume', 'resume', 'rewind-after-resume'],
    kind: 'control_response success',
    how: 'repeats',
    why: 'The handshake of 2.1.197 does not include its release, so a session that resumes asks for the costs so far.',
  },
  {
    releases: both,
    scenarios: parked,
    kind: 'control_response success',
    how: 'anywhere',
    sometimes: true,
    why: 'The session asks for the costs so far. When the real CLI answers depends on timing; 2.1.197 is also asked after the handshake.',
  },
  {
    releases: older,
    scenarios: parked,
    kind: 'progress',
    how: 'only-real',
    why: '2.1.197 reports the start of each hook of a call that is asked again.',
  },
  {
    releases: older,
    scenarios: 'all',
    kind: 'command_lifecycle *',
    how: 'only-scripted',
    why: '2.1.197 does not report the progress of a prompt.',
  },
  {
    releases: older,
    scenarios: 'all',
    kind: 'system session_state_changed',
    how: 'only-scripted',
    why: '2.1.197 does not report whether it is busy.',
  },
  {
    releases: older,
    scenarios: 'all',
    kind: 'system background_tasks_changed',
    how: 'only-scripted',
    why: '2.1.197 does not list its background tasks.',
  },
  {
    releases: older,
    scenarios: ['denied-tools'],
    kind: 'system permission_denied',
    how: 'only-scripted',
    why: '2.1.197 reports a refused call only in its result.',
  },
  {
    releases: older,
    scenarios: ['hooks-around-tools'],
    kind: 'system informational',
    how: 'only-scripted',
    why: "2.1.197 does not show a hook's `systemMessage`.",
  },
  {
    releases: older,
    scenarios: ['another-model'],
    kind: 'control_request hook_callback *',
    how: 'only-scripted',
    why: '2.1.197 has no hooks for a change of the model.',
  },
  {
    releases: older,
    scenarios: ['another-model'],
    kind: 'control_response success',
    how: 'anywhere',
    why: 'The answers to those hooks are echoed.',
  },
  {
    releases: older,
    scenarios: ['another-model'],
    kind: 'control_response error',
    how: 'only-scripted',
    why: 'No hook can prevent 2.1.197 from changing the model back.',
  },
  {
    releases: older,
    scenarios: ['another-model'],
    kind: 'user string replay',
    how: 'anywhere',
    why: '2.1.197 notes in the conversation that the model changed back.',
  },
  {
    releases: older,
    scenarios: ['every-model'],
    kind: 'user string replay',
    how: 'anywhere',
    why: '2.1.197 notes a change of the model even before the first prompt.',
  },
  {
    releases: older,
    scenarios: ['clear'],
    kind: 'conversation_reset',
    how: 'only-scripted',
    why: '2.1.197 does not report a clear, except by the new session id.',
  },
  {
    releases: older,
    scenarios: ['clear'],
    kind: 'assistant text',
    how: 'anywhere',
    why: '2.1.197 answers the command with the message `(no content)`.',
  },
  {
    releases: older,
    scenarios: ['clear', 'compaction'],
    kind: 'user string*',
    how: 'anywhere',
    why: '2.1.197 does not echo its own commands.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-streaming'],
    kind: 'stream_event *',
    how: 'anywhere',
    why: '2.1.197 does not end the stream of an interrupted message.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-streaming'],
    kind: 'user string replay',
    how: 'anywhere',
    why: '2.1.197 echoes the prompt after the stream has started, not before.',
  },
  {
    releases: older,
    scenarios: ['host-tool', 'unknown-host-tool'],
    kind: 'control_request mcp_message *',
    how: 'anywhere',
    why: '2.1.197 answers the handshake first, and cancels a finished call when it exits.',
  },
  {
    releases: both,
    scenarios: ['elicitation'],
    kind: 'control_response success',
    how: 'anywhere',
    why: 'A real MCP server needs time to connect, and the session asks for its status until then; 2.1.197 also calls the next hook before it echoes the answer.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'control_request hook_callback UserPromptSubmit',
    how: 'anywhere',
    why: '2.1.197 calls no hook for a prompt that joins a turn.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'control_response success',
    how: 'anywhere',
    why: 'The answers to that hook are echoed.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'system informational',
    how: 'only-scripted',
    why: 'Without a hook, nothing refuses the prompt.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'user string replay',
    how: 'anywhere',
    why: 'So the prompt joins the turn, and is echoed.',
  },
  {
    releases: older,
    scenarios: ['steered-and-stopped'],
    kind: 'system init',
    how: 'anywhere',
    why: 'So it gets no separate turn.',
  },
  {
    releases: older,
    scenarios: ['steered-and-stopped'],
    kind: 'result success',
    how: 'anywhere',
    why: 'So it gets no separate result.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'user text',
    how: 'only-scripted',
    why: '2.1.197 would exit, so the session refuses the prompt instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'control_cancel_request',
    how: 'only-scripted',
    why: '2.1.197 would exit, so the session refuses the prompt instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'result error_during_execution',
    how: 'only-scripted',
    why: '2.1.197 would exit, so the session refuses the prompt instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'exit 1',
    how: 'only-scripted',
    why: '2.1.197 would exit, so the session refuses the prompt instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'system informational',
    how: 'only-real',
    why: '2.1.197 would exit, so the session refuses the prompt instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'result success',
    how: 'only-real',
    why: '2.1.197 would exit, so the session refuses the prompt instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'exit 0',
    how: 'only-real',
    why: '2.1.197 would exit, so the session refuses the prompt instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-runs'],
    kind: 'control_response success',
    how: 'anywhere',
    why: 'So the interrupt is not answered.',
    sometimes: true,
  },
];
