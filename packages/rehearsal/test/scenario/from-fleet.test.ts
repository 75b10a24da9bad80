import { readFile } from 'node:fs/promises';
import type { StoreEntry } from 'coxswain/store';
import { describe, expect, it } from 'vitest';
import { type FleetTranscripts, fromFleet } from '../../src/scenario/from-fleet.ts';
import { assistant, call, result, transcript, user } from './transcript-lines.ts';

const ID = '0b0f5c7e-6c5e-4a53-9d3a-2a1b3c4d5e6f';

describe('fromFleet()', () => {
  it('[N-1] reads a conversation of a fleet, with its subagents, and changes nothing', async () => {
    const main = await entriesOf([
      user('Count the boats.'),
      assistant('m1', call('t1', 'Agent', { prompt: 'Count.' })),
      result('t1', 'One.', {}, { toolUseResult: { agentId: 'a1' } }),
      assistant('m2', { type: 'text', text: 'One.' }),
    ]);
    const agent = await entriesOf([
      user('Count.', { isSidechain: true }),
      { ...assistant('a', call('u1', 'Bash', { command: 'ls' })), isSidechain: true },
      result('u1', 'boat', {}, { isSidechain: true }),
    ]);
    const scenario = await fromFleet(fleet({ '': main, 'subagents/agent-a1': agent }), 'ann/boats');
    expect(scenario).toMatchObject({ name: 'ann/boats', agents: [{ prompt: 'Count.' }] });
    expect(Object.keys(scenario.results).sort()).toEqual(['t1', 'u1']);
  });

  it('[N-6] reports a conversation that does not exist, or has not begun', async () => {
    await expect(fromFleet(fleet({}), 'ann')).rejects.toThrow('The fleet has no conversation ann.');
    await expect(fromFleet(fleet({}, null), 'ann/boats')).rejects.toThrow('No turn of ann/boats has begun.');
  });
});

function fleet(transcripts: Readonly<Record<string, StoreEntry[]>>, sessionId: string | null = ID): FleetTranscripts {
  return {
    conversations: async () => [{ key: 'ann/boats', sessionId, updatedAt: 0 }],
    transcript: async (_key, { subpath = '' } = {}) => transcripts[subpath] ?? [],
  };
}

async function entriesOf(lines: readonly Readonly<Record<string, unknown>>[]): Promise<StoreEntry[]> {
  const text = await readFile(await transcript(lines.map((line) => ({ sessionId: ID, ...line }))), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
