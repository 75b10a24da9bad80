/** One way in which the scripted CLI is not the real one, and why. */
export interface Difference {
  readonly releases: readonly string[];
  readonly scenarios: 'all' | readonly string[];
  /** The kind of frame; a star at its end stands for anything. */
  readonly kind: string;
  /**
   * `only-real`, `only-scripted`: one side does not send it; `repeats`: how often in a row differs;
   * `anywhere`: number and place differ.
   */
  readonly how: 'only-real' | 'only-scripted' | 'repeats' | 'anywhere';
  /** It depends on which of two is faster, so it may not be there. */
  readonly sometimes?: boolean;
  readonly why: string;
}

const both = ['2.1.325', '2.1.197'];
const older = ['2.1.197'];

/** Every difference there is; a test fails on one that is not listed, and on one that is listed and gone. */
export const differences: readonly Difference[] = [
  {
    releases: both,
    scenarios: ['partial-messages'],
    kind: 'stream_event content_block_delta text_delta',
    how: 'repeats',
    why: 'The scripted CLI streams word by word; the real one passes on the pieces the API sends.',
  },
  {
    releases: both,
    scenarios: ['interrupted-while-speaking'],
    kind: 'stream_event content_block_delta text_delta',
    how: 'repeats',
    sometimes: true,
    why: 'How many pieces come before the interrupt is a matter of time.',
  },
  {
    releases: both,
    scenarios: ['thinking', 'partial-messages'],
    kind: 'system thinking_tokens',
    how: 'anywhere',
    why: 'The scripted CLI counts after each word; the real one after each piece the API sends, signature included.',
  },
  {
    releases: older,
    scenarios: ['cost-after-resume', 'resume', 'rewind-after-resume'],
    kind: 'control_response success',
    how: 'repeats',
    why: 'The handshake of 2.1.197 does not tell its release, so a session that resumes asks for the costs so far.',
  },
  {
    releases: older,
    scenarios: 'all',
    kind: 'command_lifecycle *',
    how: 'only-scripted',
    why: '2.1.197 does not tell how far a prompt has come.',
  },
  {
    releases: older,
    scenarios: 'all',
    kind: 'system session_state_changed',
    how: 'only-scripted',
    why: '2.1.197 does not tell whether it works.',
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
    why: '2.1.197 tells of a refused call in its result only.',
  },
  {
    releases: older,
    scenarios: ['hooks-around-tools'],
    kind: 'system informational',
    how: 'only-scripted',
    why: "2.1.197 shows nobody a hook's `systemMessage`.",
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
    why: 'The answers to those hooks are said back.',
  },
  {
    releases: older,
    scenarios: ['another-model'],
    kind: 'control_response error',
    how: 'only-scripted',
    why: 'No hook can keep 2.1.197 from changing the model back.',
  },
  {
    releases: older,
    scenarios: ['another-model'],
    kind: 'user string replay',
    how: 'anywhere',
    why: 'That the model changed back stands in the conversation of 2.1.197.',
  },
  {
    releases: older,
    scenarios: ['clear'],
    kind: 'conversation_reset',
    how: 'only-scripted',
    why: '2.1.197 does not tell of a clear; the new session id does.',
  },
  {
    releases: older,
    scenarios: ['clear'],
    kind: 'assistant text',
    how: 'anywhere',
    why: '2.1.197 answers the command with a message of its own: `(no content)`.',
  },
  {
    releases: older,
    scenarios: ['clear', 'compaction'],
    kind: 'user string*',
    how: 'anywhere',
    why: '2.1.197 does not say its own commands back.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-speaking'],
    kind: 'stream_event *',
    how: 'anywhere',
    why: '2.1.197 does not end the stream of a message that was cut off.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-speaking'],
    kind: 'user string replay',
    how: 'anywhere',
    why: '2.1.197 says the prompt back after the stream has begun, not before.',
  },
  {
    releases: older,
    scenarios: ['tool-of-the-host', 'tool-the-host-has-not'],
    kind: 'control_request mcp_message *',
    how: 'anywhere',
    why: '2.1.197 answers the handshake first, and cancels a call that is over when it leaves.',
  },
  {
    releases: older,
    scenarios: ['elicitation'],
    kind: 'control_response success',
    how: 'anywhere',
    why: '2.1.197 asks the next hook before it says the answer back.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'control_request hook_callback UserPromptSubmit',
    how: 'anywhere',
    why: '2.1.197 asks no hook about a prompt that joins a turn.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'control_response success',
    how: 'anywhere',
    why: 'The answers to that hook are said back.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'system informational',
    how: 'only-scripted',
    why: 'Without a hook, nothing keeps the prompt out.',
  },
  {
    releases: older,
    scenarios: ['steered-and-denied', 'steered-and-stopped'],
    kind: 'user string replay',
    how: 'anywhere',
    why: 'So the prompt joins the turn, and is said back.',
  },
  {
    releases: older,
    scenarios: ['steered-and-stopped'],
    kind: 'system init',
    how: 'anywhere',
    why: 'So it gets no turn of its own.',
  },
  {
    releases: older,
    scenarios: ['steered-and-stopped'],
    kind: 'result success',
    how: 'anywhere',
    why: 'So it gets no result of its own.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'user text',
    how: 'only-scripted',
    why: 'It would exit, so the session refuses the prompt there instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'control_cancel_request',
    how: 'only-scripted',
    why: 'It would exit, so the session refuses the prompt there instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'result error_during_execution',
    how: 'only-scripted',
    why: 'It would exit, so the session refuses the prompt there instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'exit 1',
    how: 'only-scripted',
    why: 'It would exit, so the session refuses the prompt there instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'system informational',
    how: 'only-real',
    why: 'It would exit, so the session refuses the prompt there instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'result success',
    how: 'only-real',
    why: 'It would exit, so the session refuses the prompt there instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'exit 0',
    how: 'only-real',
    why: 'It would exit, so the session refuses the prompt there instead of interrupting.',
  },
  {
    releases: older,
    scenarios: ['interrupted-while-a-hook-thinks'],
    kind: 'control_response success',
    how: 'anywhere',
    why: 'So the interrupt is not answered there.',
    sometimes: true,
  },
];
