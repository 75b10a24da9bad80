import { writeFileSync } from 'node:fs';
import { text, toolUse } from '@coxswain/testkit';
import { type ResultMessage, textOf } from 'coxswain';
import type { StoreEntry } from 'coxswain/store';
import { describe, expect } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';
import { marker, notRun } from './entries.ts';
import { measuring, type StagedScript } from './measured.ts';
import { CALL, command } from './model.ts';
import { type ParkingStage, results } from './stage.ts';
import { parkedVersions } from './versions.ts';
import { receivedAbout, wordsOf } from './words.ts';

const OTHER = 'toolu_two';
const AGENT = { description: 'a look', prompt: 'Look around.', subagent_type: 'general-purpose' };

/** Two commands in one message: the CLI asks for the second once the first is answered. */
const runsTwo: StagedScript = (stage) => [() => [command(stage()), command(stage(), OTHER)], text('done')];

/** Two files to be read: the CLI asks for both at the same time. */
const readsTwo: StagedScript = (stage) => [
  () =>
    [CALL, OTHER].map((id) => {
      writeFileSync(stage().path(id), `words of ${id}`);
      return toolUse('Read', { file_path: stage().path(id) }, { id });
    }),
  text('done'),
];

/** A subagent that asks for a command. If it is started again, its call has another id. */
const starts =
  (background: boolean): StagedScript =>
  (stage) => {
    const main = [toolUse('Agent', { ...AGENT, run_in_background: background }, { id: 'toolu_agent' })];
    const agent = ['toolu_asked', 'toolu_new'];
    return ({ body }) => {
      const history = JSON.stringify(body.messages);
      // Requests of 2.1.97 do not show whether they belong to a subagent.
      if (history.includes('first prompt')) return main.shift() ?? text('done');
      const id = history.includes('tool_result') ? undefined : agent.shift();
      return id === undefined ? text('seen') : command(stage(), id);
    };
  };

/** The millisecond after an entry was written. */
const later = ({ timestamp }: StoreEntry): string => new Date(Date.parse(String(timestamp)) + 1).toISOString();

const isDone = (result: ResultMessage): boolean => textOf(result) === 'done';

describe.concurrent.each(parkedVersions)('one of several calls that is parked on %s', (version) => {
  const measure = measuring('several', version);
  const stored = (stage: ParkingStage, id: string, word: string): Promise<unknown> =>
    waitUntil(async () => JSON.stringify(await stage.entries(id)).includes(word), { what: `${word} in the store` });

  measure('two commands, the second without a result', runsTwo, async (stage) => {
    const { id, asked } = await stage.park();
    const resumed = await stage.resume(id);
    const words = await wordsOf({ stage, resumed, before: asked[0] });
    return `${words}; second: ${receivedAbout({ stage, resumed }, OTHER)}`;
  });

  measure('two commands, the second with a result that it was not run', runsTwo, async (stage) => {
    const { id, key, asked, kill } = await stage.ask();
    await stored(stage, id, OTHER);
    await kill();
    const entries = await stage.entries(id);
    const result = notRun(entries, OTHER);
    await stage.append(key, [result, marker([...entries, result], asked[0])]);
    const resumed = await stage.resume(id);
    const words = await wordsOf({ stage, resumed, before: asked[0] });
    return `${words}; second: ${receivedAbout({ stage, resumed }, OTHER)}`;
  });

  measure('two requests, both marked', readsTwo, async (stage) => {
    const { id, key, asked, kill } = await stage.ask({ requests: 2 });
    await kill();
    for (const request of asked) await stage.append(key, [marker(await stage.entries(id), request)]);
    const resumed = await stage.resume(id);
    const words = await wordsOf({ stage, resumed, before: asked[1], counts: false });
    return `last: ${words}; first: ${receivedAbout({ stage, resumed }, asked[0]?.toolUseId ?? '')}`;
  });

  /** Marks one of two requests, and adds a result that the other was not run. */
  const oneOfTwo =
    (kept: number, change: (result: StoreEntry, marked: StoreEntry) => readonly StoreEntry[]) =>
    async (stage: ParkingStage): Promise<string> => {
      const { id, key, asked, kill } = await stage.ask({ requests: 2 });
      await kill();
      const other = asked[1 - kept]?.toolUseId ?? '';
      const entries = await stage.entries(id);
      const result = notRun(entries, other);
      await stage.append(key, change(result, marker([...entries, result], asked[kept])));
      const resumed = await stage.resume(id);
      const words = await wordsOf({ stage, resumed, before: asked[kept], counts: false });
      return `${words}; other: ${receivedAbout({ stage, resumed }, other)}`;
    };
  const inOrder = (...added: StoreEntry[]): StoreEntry[] => added;
  measure('two requests: a result for the second, then the marker of the first', readsTwo, oneOfTwo(0, inOrder));
  measure('two requests: a result for the first, then the marker of the second', readsTwo, oneOfTwo(1, inOrder));
  measure(
    'two requests: the marker before the result',
    readsTwo,
    oneOfTwo(0, (result, marked) => [marked, { ...result, timestamp: later(marked) }]),
  );
  measure(
    'two requests: the marker after the result, with the same timestamp',
    readsTwo,
    oneOfTwo(0, (result, marked) => [result, { ...marked, timestamp: result.timestamp }]),
  );

  measure(
    'a command that waits after a file was read',
    (stage) => [
      () => [toolUse('Read', { file_path: stage().path('note') }, { id: OTHER }), command(stage())],
      text('done'),
    ],
    async (stage) => {
      writeFileSync(stage.path('note'), 'words of the note');
      const { id, key, asked, kill } = await stage.ask({ addDirs: [stage.home.root] });
      await stored(stage, id, 'words of the note');
      await kill();
      await stage.append(key, [marker(await stage.entries(id), asked[0])]);
      const resumed = await stage.resume(id);
      const words = await wordsOf({ stage, resumed, before: asked[0] });
      return `${words}; file: ${receivedAbout({ stage, resumed }, OTHER)}`;
    },
  );

  measure('a request of a subagent, its call marked', starts(false), async (stage) => {
    const { id, asked } = await stage.park();
    const resumed = await stage.resume(id);
    const words = await wordsOf({ stage, resumed, before: asked[0] });
    return `${words}; subagent: ${receivedAbout({ stage, resumed }, 'toolu_agent')}`;
  });

  measure('a request of a subagent, the call of the subagent marked', starts(false), async (stage) => {
    const { id, key, asked, kill } = await stage.ask();
    await stored(stage, id, 'toolu_agent');
    await kill();
    const input = { ...AGENT, run_in_background: false };
    await stage.append(key, [marker(await stage.entries(id), { toolUseId: 'toolu_agent', toolName: 'Agent', input })]);
    const resumed = await stage.resume(id);
    const words = await wordsOf({ stage, resumed, before: asked[0] });
    return `${words}; subagent: ${receivedAbout({ stage, resumed }, 'toolu_agent')}`;
  });

  measure('a request of a subagent in the background', starts(true), async (stage) => {
    const { id, asked, kill, messages } = await stage.ask({ requests: 0 });
    const answered = (): string | undefined =>
      stage.api.requests.flatMap(({ toolResults }) => toolResults).find((result) => result.text.includes('permission'))
        ?.text;
    await waitUntil(() => asked.length > 0 || answered(), { what: 'a request, or a refusal' });
    await waitUntil(() => results(messages).length > 0, { what: 'the end of the turn' });
    await kill();
    if (asked.length === 0) return 'it cannot ask: the command is refused';
    const resumed = await stage.resume(id);
    await resumed.session.send('second prompt').text();
    const request = JSON.stringify(stage.api.conversation.at(-1)?.body.messages);
    const note = /<status>(\w+)<\/status>/.exec(request)?.[1];
    expect(resumed.asked).toEqual([]);
    return `not asked; model is notified about the subagent: ${note ?? 'nothing'}`;
  });

  measure(
    'a command that waits while another runs in the background',
    (stage) => [
      () =>
        toolUse(
          'Bash',
          { command: `while [ ! -e ${stage().path('go')} ]; do sleep 0.05; done`, run_in_background: true },
          { id: OTHER },
        ),
      () => command(stage()),
      text('done'),
      text('second answer'),
    ],
    async (stage) => {
      const { id, asked } = await stage.park({ allowedTools: ['Bash(while *)', 'Bash(sleep *)'] });
      const resumed = await stage.resume(id);
      await waitUntil(() => results(resumed.messages).some(isDone), { what: 'the end' });
      const request = JSON.stringify(stage.api.conversation.at(-1)?.body.messages);
      const note = /<status>(\w+)<\/status>/.exec(request)?.[1];
      const first = results(resumed.messages).findIndex(isDone);
      const words = await wordsOf({ stage, resumed, before: asked.at(-1) }, first);
      return `${words}; ${first} results before that of the turn; model is notified about the background command: ${note ?? 'nothing'}`;
    },
  );
});
