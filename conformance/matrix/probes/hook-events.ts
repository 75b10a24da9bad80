import type { AgentOptions, Hooks, Session } from '../../../packages/sdk/src/index.ts';
import { apiError, text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { AGENT_MARK, type Bench, MARK } from '../bench.ts';
import { type Probe, yes } from '../probe.ts';

const ECHO = toolUse('Bash', { command: 'echo hello' });
const LOOK = toolUse('Task', {
  subagent_type: 'general-purpose',
  description: 'look',
  prompt: `${MARK} ${AGENT_MARK} look around`,
  run_in_background: false,
});
const play =
  (...lines: Parameters<Bench['play']>[1]) =>
  async (bench: Bench, session: Session): Promise<void> =>
    void (await bench.play(session, lines));
const inAgent = async (bench: Bench, session: Session): Promise<void> => {
  bench.scriptAnswers([], [text('I looked')]);
  await bench.play(session, [LOOK, text('done')]);
};
const after =
  (prompt: string) =>
  async (bench: Bench, session: Session): Promise<void> => {
    // Older releases refuse to compact a short conversation.
    for (const answer of ['one', 'two']) await bench.play(session, [text(answer)]);
    await bench.play(session, [], prompt);
  };

/** How to cause each event that can be caused offline. */
const occasions: Readonly<Record<string, (bench: Bench, session: Session) => Promise<void>>> = {
  PreToolUse: play(ECHO, text('done')),
  PostToolUse: play(ECHO, text('done')),
  PostToolUseFailure: (bench, session) =>
    play(toolUse('Read', { file_path: bench.path('missing') }), text('done'))(bench, session),
  PostToolBatch: play(ECHO, text('done')),
  PermissionRequest: (bench, session) =>
    play(toolUse('Write', { file_path: bench.path('new'), content: 'x' }), text('done'))(bench, session),
  UserPromptSubmit: play(text('done')),
  Stop: play(text('done')),
  // Newer releases ask again in another form.
  StopFailure: play(...Array.from({ length: 6 }, () => apiError(400))),
  SubagentStart: inAgent,
  SubagentStop: inAgent,
  PreCompact: after('/compact'),
  PostCompact: after('/compact'),
  SessionStart: after('/compact'),
  SessionEnd: after('/clear'),
  MessageDisplay: play(text('shown')),
  PreModelSwitch: (_, session) => session.setModel('claude-haiku-4-5'),
  PostModelSwitch: (_, session) => session.setModel('claude-haiku-4-5'),
};

/** Whether each event calls its hook. */
export const hookEventProbes: readonly Probe[] = Object.entries(occasions).map(([event, bringAbout]) => ({
  id: `hook:${event}`,
  group: 'hook events',
  title: `\`${event}\``,
  async prove(bench) {
    let calls = 0;
    const hooks: Hooks = { [event]: () => void calls++ };
    const options: AgentOptions = { hooks, allowedTools: ['Bash', 'Task', 'Read'], model: 'claude-sonnet-4-5' };
    const session = await bench.start(
      event === 'PermissionRequest' ? { ...options, canUseTool: () => ({ behavior: 'deny', message: 'no' }) } : options,
    );
    await bringAbout(bench, session);
    await waitUntil(() => calls > 0, { timeoutMs: 8_000, what: `a call of the ${event} hook` });
    return yes;
  },
}));
