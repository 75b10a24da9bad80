import type { Message, ResultMessage, Session } from '../../../packages/sdk/src/index.ts';
import { text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import type { Bench } from '../bench.ts';
import { expecting, type Probe } from '../probe.ts';

const OWN_RUN_MS = 15_000;

/** How frames show which turn they belong to. */
export const turnEvidenceProbes: readonly Probe[] = [
  {
    id: 'turns:lifecycle',
    group: 'session',
    title: '`command_lifecycle` reports the progress of each prompt',
    async prove(bench) {
      const { id, messages } = await played(bench);
      const states = messages.flatMap((m) =>
        m.type === 'command_lifecycle' && m.command_uuid === id ? [m.state] : [],
      );
      return expecting({ queued: states.includes('queued'), started: states.includes('started') });
    },
  },
  {
    id: 'turns:init',
    group: 'session',
    title: '`init.user_message_uuids` names the prompts of a turn',
    async prove(bench) {
      const { id, messages } = await played(bench);
      const init = messages.find((m) => m.type === 'system' && m.subtype === 'init');
      return expecting({ 'it is named': names(init).includes(id) });
    },
  },
  {
    id: 'turns:result',
    group: 'session',
    title: '`result.user_message_uuids` names the prompts of a turn',
    async prove(bench) {
      const { id, messages } = await played(bench);
      return expecting({ 'it is named': names(messages.find((m) => m.type === 'result')).includes(id) });
    },
  },
  {
    id: 'turns:origin',
    group: 'session',
    title: '`result.origin` shows that the CLI started the turn itself',
    async prove(bench) {
      const session = await bench.start({ allowedTools: ['Bash'] });
      const own = ownResult(session);
      const command = { command: 'sleep 0.5', run_in_background: true };
      await bench.play(session, [toolUse('Bash', command), text('launched'), text('it has ended')]);
      const result = await own;
      return expecting({ 'there is an origin': result !== undefined && 'origin' in result });
    },
  },
];

async function played(bench: Bench): Promise<{ id: string; messages: readonly Message[] }> {
  const { turn, messages } = await bench.play(await bench.start(), [text('ok')]);
  return { id: turn.id, messages };
}

/** The second result of a session: the turn that the CLI starts when a background task has ended. */
async function ownResult(session: Session): Promise<ResultMessage | undefined> {
  const results: ResultMessage[] = [];
  const read = (async () => {
    for await (const seen of session.messages()) {
      if (seen.kind === 'message' && seen.message.type === 'result') results.push(seen.message);
      if (results.length === 2) return;
    }
  })();
  const timer = AbortSignal.timeout(OWN_RUN_MS);
  await Promise.race([read, new Promise((resolve) => timer.addEventListener('abort', resolve))]);
  return results[1];
}

function names(message: Message | undefined): readonly unknown[] {
  const named: unknown = message && Reflect.get(message, 'user_message_uuids');
  return Array.isArray(named) ? named : [];
}
