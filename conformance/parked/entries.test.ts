import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { text } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';
import type { StoreEntry } from 'coxswain/store';
import { describe, expect } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';
import { isMarker, marker, notRun } from './entries.ts';
import { historyOf } from './history.ts';
import { measuring, type StagedScript } from './measured.ts';
import { CALL, command, lastingCommand, runsCommand } from './model.ts';
import type { ParkingStage } from './stage.ts';
import { parkedVersions } from './versions.ts';
import { ran, receivedAbout, wordsOf } from './words.ts';

const DAY = 86_400_000;

const runsLong: StagedScript = (stage) => [() => lastingCommand(stage()), text('done'), text('second answer')];

describe.concurrent.each(parkedVersions)('the entries of a conversation that is parked on %s', (version) => {
  const measure = measuring('entries', version);

  /** Changes the stored entries, resumes the conversation, and describes what happened. */
  const changed =
    (change: (entry: StoreEntry) => StoreEntry | readonly StoreEntry[]) =>
    async (stage: ParkingStage): Promise<string> => {
      const { id, key, asked } = await stage.park();
      await stage.rewrite(key, (entries) => entries.flatMap(change));
      const resumed = await stage.resume(id);
      return wordsOf({ stage, resumed, before: asked[0] });
    };
  const inMarker = (fields: object) =>
    changed((entry) =>
      isMarker(entry) ? { ...entry, attachment: { ...Object(entry.attachment), ...fields } } : entry,
    );

  measure('the marker has another input', runsCommand, inMarker({ toolInput: { command: 'echo swapped' } }));
  measure('the marker has another tool', runsCommand, inMarker({ toolName: 'Write' }));
  measure(
    'the marker has the mode `bypassPermissions`',
    runsCommand,
    inMarker({ permissionMode: 'bypassPermissions' }),
  );
  measure('the marker names a call that does not exist', runsCommand, inMarker({ toolUseID: 'toolu_none' }));
  measure('the stored call has another input', runsCommand, async (stage) => {
    const swap = (entry: StoreEntry): StoreEntry =>
      entry.type === 'assistant' ? JSON.parse(JSON.stringify(entry).replace('echo ran', 'echo swapped')) : entry;
    const words = await changed(swap)(stage);
    expect(stage.read('ran')).toBe('swapped\n');
    return words;
  });
  measure(
    'the marker has only the fields that it needs',
    runsCommand,
    changed((entry) => {
      if (!isMarker(entry)) return entry;
      const { type, uuid, parentUuid, timestamp, sessionId } = entry;
      const { toolUseID, toolName, toolInput } = Object(entry.attachment);
      const attachment = { type: 'hook_deferred_tool', toolUseID, toolName, toolInput };
      return { type, uuid, parentUuid, timestamp, sessionId, isSidechain: false, attachment };
    }),
  );
  measure(
    'everything was written 60 days ago',
    runsCommand,
    changed((entry) => {
      const { timestamp } = entry;
      if (typeof timestamp !== 'string') return entry;
      return { ...entry, timestamp: new Date(Date.parse(timestamp) - 60 * DAY).toISOString() };
    }),
  );
  measure(
    'an entry of an unknown type follows the marker',
    runsCommand,
    changed((entry) =>
      isMarker(entry) ? [entry, { type: 'coxswain-parked', sessionId: entry.sessionId, toolUseId: CALL }] : entry,
    ),
  );

  measure('no marker, and a prompt', runsCommand, async (stage) => {
    const { id, asked, kill } = await stage.ask();
    await kill();
    const resumed = await stage.resume(id);
    await resumed.session.send('second prompt').text();
    return wordsOf({ stage, resumed, before: asked[0] });
  });

  measure(
    'the marker is removed from the store when the resumed turn has ended, and a third CLI',
    runsCommand,
    async (stage) => {
      const { id, key, asked } = await stage.park();
      const second = await stage.resume(id);
      await stage.rewrite(key, (entries) => entries.filter((entry) => !isMarker(entry)));
      await second.result();
      await second.session.close();
      const third = await stage.resume(id);
      await third.session.send('second prompt').text();
      const history = historyOf(stage.api.conversation.at(-1));
      expect(history.at(0)).toBe('0 user: first prompt');
      expect(history.at(-1)).toMatch(/user: second prompt$/);
      return wordsOf({ stage, resumed: third, before: asked[0] });
    },
  );

  measure('the marker stays in the store, and a third CLI after the turn has ended', runsCommand, async (stage) => {
    const { id, asked } = await stage.park();
    const second = await stage.resume(id);
    await second.result();
    await second.session.close();
    const third = await stage.resume(id);
    await third.session.send('second prompt').text();
    return wordsOf({ stage, resumed: third, before: asked[0] });
  });

  /** Kills the resumed CLI while the command runs, changes the entries, and resumes the conversation again. */
  const killedWhileRunning = async (
    stage: ParkingStage,
    change: (entries: readonly StoreEntry[]) => readonly StoreEntry[],
    prompt?: string,
  ): Promise<string> => {
    const { id, key, asked } = await stage.park();
    const second = await stage.resume(id);
    await waitUntil(() => stage.read('ran'), { what: 'the command' });
    await second.kill();
    writeFileSync(stage.path('go'), '');
    await stage.rewrite(key, change);
    const third = await stage.resume(id);
    if (prompt !== undefined) await third.session.send(prompt).text();
    return wordsOf({ stage, resumed: third, before: asked[0] });
  };
  measure('killed while the tool runs, the marker kept', runsLong, (stage) =>
    killedWhileRunning(stage, (entries) => entries),
  );
  measure('killed while the tool runs, the marker removed, and a prompt', runsLong, (stage) =>
    killedWhileRunning(stage, (entries) => entries.filter((entry) => !isMarker(entry)), 'second prompt'),
  );
  measure('killed while the tool runs, the marker replaced by a result, and a prompt', runsLong, (stage) =>
    killedWhileRunning(
      stage,
      (entries) => {
        const left = entries.filter((entry) => !isMarker(entry));
        return [...left, notRun(left, CALL, 'It is unknown whether it ran.')];
      },
      'second prompt',
    ),
  );
  measure('killed while the tool runs, a second marker that names no call', runsLong, (stage) =>
    killedWhileRunning(stage, (entries) =>
      entries.flatMap((entry) =>
        isMarker(entry)
          ? [
              entry,
              { ...entry, uuid: randomUUID(), attachment: { ...Object(entry.attachment), toolUseID: 'toolu_none' } },
            ]
          : [entry],
      ),
    ),
  );

  measure('killed while the repeated request waits, the marker kept', runsCommand, async (stage) => {
    const { id, asked } = await stage.park();
    const second = await stage.resume(id, { answer: () => decideLater() });
    await waitUntil(() => second.asked.length > 0, { what: 'the same request' });
    await second.kill();
    const third = await stage.resume(id);
    return wordsOf({ stage, resumed: third, before: asked[0] });
  });

  measure(
    'the next request of the same turn is also parked',
    (stage) => [() => command(stage()), () => command(stage(), 'toolu_two'), text('done')],
    async (stage) => {
      const { id, key } = await stage.park();
      const second = await stage.resume(id, {
        answer: ({ toolUseId }) => (toolUseId === CALL ? allow() : decideLater()),
      });
      await waitUntil(() => second.asked.length > 1, { what: 'the next request' });
      await waitUntil(async () => JSON.stringify(await stage.entries(id)).includes('"id":"toolu_two"'), {
        what: 'the next call in the store',
      });
      await second.kill();
      await stage.append(key, [marker(await stage.entries(id), second.asked[1])]);
      const third = await stage.resume(id);
      const words = await wordsOf({ stage, resumed: third, before: second.asked[1] });
      return `${words}; first: ${receivedAbout({ stage, resumed: third }, CALL)}`;
    },
  );

  measure('two CLIs resume it at the same time', runsCommand, async (stage) => {
    const { id } = await stage.park();
    const both = await Promise.all([stage.resume(id), stage.resume(id)]);
    await Promise.all(both.map((resumed) => resumed.result()));
    return `asked ${both.flatMap(({ asked }) => asked).length} times; ${ran(stage)}`;
  });
});
