import { type ApiRequest, type Reply, type ReplyStep, text, toolUse, until } from '@coxswain/testkit';
import { type Session, textOf } from 'coxswain';
import type { ObservedMessage } from 'coxswain/observe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate } from '../harness/gate.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, type Stage } from './stage.ts';

const AGENT = {
  description: 'look',
  prompt: 'Look around.',
  subagent_type: 'general-purpose',
  run_in_background: true,
};

describe.concurrent.each(testedVersions)('a background task of %s', (version) => {
  const replies: Reply[] = [];
  const results: [string | null, string][] = [];
  /** The number of requests and results before the test. */
  let before = { requests: 0, results: 0 };
  /** The subagent answers when it is opened. */
  const agent = new Gate();
  let stage: Stage;
  let session: Session;
  let watching: Promise<void>;

  beforeAll(async () => {
    const main = (): Reply => replies.shift() ?? text('it is done');
    stage = await openStage({ main, subagent: () => [until(agent.opened), text('all clear')] }, { version });
    session = await stage.start({ allowedTools: ['Bash'] });
    watching = (async () => {
      for await (const { turn, message } of observed(session)) {
        if (message.type === 'result') results.push([turn, textOf(message)]);
      }
    })();
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  /** Starts a new conversation with these answers of the model. */
  const begin = async (...answers: Reply[]): Promise<void> => {
    const { length } = results;
    await session.clear();
    await waitUntil(() => results.length > length, { what: 'the result of the clear' });
    replies.splice(0, replies.length, ...answers);
    before = { requests: stage.api.requests.length, results: results.length };
  };
  /** The results of this conversation, each with its turn; complete when nothing is pending. */
  const seen = async (least: number): Promise<[string | null, string][]> => {
    await session.idle();
    const own = (): [string | null, string][] => results.slice(before.results);
    await waitUntil(() => own().length >= least, { what: `${least} results` });
    return own();
  };
  const requests = (): ApiRequest[] => stage.api.conversation.filter(({ seq }) => seq > before.requests);
  /** Waits until the CLI has notified the model about the end of a task. */
  const notification = (): Promise<unknown> =>
    stage.api.waitForRequest(
      ({ seq, body }) => seq > before.requests && JSON.stringify(body.messages ?? '').includes('<task-notification>'),
    );

  it.sequential('[S-3, S-4] causes a turn without a prompt if it is a Bash command, and idle() waits for that turn', async () => {
    await begin(longUntil('end-1'), text('launched'), text('it is done'), text('second answer'));
    const turn = session.send('first prompt');
    expect(await turn.text()).toBe('launched');
    await stage.touch('end-1');
    await session.idle();
    expect(requests()).toHaveLength(3);

    const next = session.send('second prompt');
    expect(await next.text()).toBe('second answer');
    expect(turn.results).toHaveLength(1);
    expect(await seen(3)).toEqual([
      [turn.id, 'launched'],
      [null, 'it is done'],
      [next.id, 'second answer'],
    ]);
  });

  it.sequential('[S-3, S-4] causes a turn without a prompt if it is a subagent, and idle() waits for that turn', async () => {
    await begin(toolUse('Agent', AGENT), text('launched'), text('the agent says: all clear'));
    const turn = session.send('first prompt');
    expect(await turn.text()).toBe('launched');
    agent.open();
    expect(await seen(2)).toEqual([
      [turn.id, 'launched'],
      [null, 'the agent says: all clear'],
    ]);
  });

  it.sequential('[S-3] may end at the same time as others: idle() waits for the turn of each', async () => {
    await begin([longUntil('end-2'), longUntil('end-2')], text('launched'));
    const turn = session.send('first prompt');
    await turn.text();
    await stage.touch('end-2');
    const [first, ...others] = await seen(3);
    expect(first).toEqual([turn.id, 'launched']);
    expect(others.map(([id]) => id)).toEqual([null, null]);
    expect(others.at(-1)).toEqual([null, 'it is done']);
  });

  it.sequential('[S-3] is handled in another turn if it ends during that turn, and idle() does not wait longer', async () => {
    await begin(
      longUntil('end-3'),
      text('launched'),
      toolUse('Bash', { command: 'touch end-3; while [ ! -e gone ]; do sleep 0.05; done' }),
      text('second answer'),
      text('it is done'),
    );
    expect(await session.send('first prompt').text()).toBe('launched');
    const turn = session.send('second prompt');
    for await (const { message } of observed(session)) {
      if (message.type === 'system' && message.subtype === 'task_updated') break;
    }
    await stage.touch('gone');
    expect(await turn.text()).toBe('second answer');
    expect((await seen(2)).filter(([id]) => id === turn.id)).toEqual([[turn.id, 'second answer']]);
  });

  it.sequential('[S-3] whose turn runs while a prompt is sent: the prompt gets its own answer if the model is answering', async () => {
    const gate = new Gate();
    const noted = [until(gate.opened), text('it is done')];
    await begin(longUntil('end-4'), text('launched'), noted, text('second answer'));
    const first = session.send('first prompt');
    await first.text();
    await stage.touch('end-4');
    await notification();
    const turn = session.send('second prompt');
    // The CLI reads its input in order: once this is answered, it has the prompt too.
    await session.request('get_binary_version');
    gate.open();
    const { messages: items } = await turn.collect();
    expect(items.filter((message) => message.type === 'assistant').map(textOf)).toEqual(['second answer']);
    expect(await turn.text()).toBe('second answer');
    expect(await seen(3)).toEqual([
      [first.id, 'launched'],
      [null, 'it is done'],
      [turn.id, 'second answer'],
    ]);
  });

  it.sequential('[S-3] whose turn runs while a prompt is sent: the prompt gets an answer if the CLI is using a tool', async () => {
    await begin(
      longUntil('end-5'),
      text('launched'),
      toolUse('Bash', { command: 'while [ ! -e go ]; do sleep 0.05; done' }),
      text('second answer'),
      text('second answer'),
    );
    expect(await session.send('first prompt').text()).toBe('launched');
    await stage.touch('end-5');
    await notification();
    await stage.runs('sleep 0.05');
    const turn = session.send('second prompt');
    await session.request('get_binary_version');
    await stage.touch('go');
    expect(await turn.text()).toBe('second answer');
    expect(stage.history()).toContain('second prompt');
    await session.idle();
  });

  it.sequential('[S-3] leaves no messages after the end of an idle session', async () => {
    const last = results.length;
    await session.close();
    await watching;
    expect(results).toHaveLength(last);
  });
});

/** A background command that ends once the test creates a file. */
function longUntil(name: string): ReplyStep {
  return toolUse('Bash', { command: `while [ ! -e ${name} ]; do sleep 0.04; done`, run_in_background: true });
}

async function* observed(session: Session): AsyncGenerator<ObservedMessage> {
  for await (const item of session.messages()) if (item.kind === 'message') yield item;
}
