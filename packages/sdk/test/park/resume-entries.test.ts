import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../src/callbacks/permission-request.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { openCalls } from '../../src/park/open-calls.ts';
import { type ParkedRequest, requestHash } from '../../src/park/parked-request.ts';
import { answerNote, answerProblem, completeTranscript, isAnswerNote } from '../../src/park/resume-entries.ts';
import type { StoreEntry } from '../../src/store/session-store.ts';
import { call, result, textEntry } from './transcript.ts';

const NOW = Date.parse('2026-02-01T00:00:00.000Z');
const prompt = textEntry('user', 'go');

function parkedCall(toolUseId: string): ParkedRequest {
  const asked = { id: 'p1', kind: 'tool', toolName: 'Bash', toolUseId, input: { command: 'ls' } };
  // Only the relevant fields.
  const request = asked as unknown as PermissionRequest;
  return { sessionId: 's', request, hash: requestHash(request), permissionMode: 'plan' };
}

const textOf = (entry: StoreEntry | undefined): unknown => entry?.toolUseResult;
const timeOf = (entry: StoreEntry | undefined): number => Date.parse(String(entry?.timestamp));

describe('completeTranscript', () => {
  it('[G-8] adds a marker of the parked call after the entry of the call', () => {
    const { missing, marker, problem } = completeTranscript([prompt, call('a')], parkedCall('a'), NOW);
    expect(missing).toEqual([]);
    expect(problem).toBeUndefined();
    expect(marker).toMatchObject({
      ...{
        type: 'attachment',
        parentUuid: 'call a',
        isSidechain: false,
        sessionId: 's',
        cwd: '/work',
        version: PINNED_VERSION,
      },
      attachment: { type: 'hook_deferred_tool', toolUseID: 'a', toolName: 'Bash', permissionMode: 'plan' },
    });
    expect(timeOf(marker)).toBe(NOW);
  });

  it('[G-8] gives the other open calls of the message a result, and the marker a later time than all of them', () => {
    const entries = [prompt, call('done'), call('a'), call('b'), call('c'), result('done')];
    const { missing, marker } = completeTranscript(entries, parkedCall('b'), NOW);
    expect([...openCalls([...entries, ...missing]).keys()]).toEqual(['b']);
    expect(missing.map(({ parentUuid }) => parentUuid)).toEqual(['call a', 'call c']);
    expect(missing.map(textOf)).toEqual(Array(2).fill(expect.stringMatching(/^No result: the turn was parked/)));
    expect(timeOf(marker)).toBeGreaterThan(Math.max(...missing.map(timeOf)));
  });

  it('[G-8] gives the marker a later time than entries of a machine whose clock is ahead', () => {
    const ahead = call('a', { timestamp: '2026-03-01T00:00:00.000Z' });
    expect(timeOf(completeTranscript([prompt, ahead], parkedCall('a'), NOW).marker)).toBeGreaterThan(timeOf(ahead));
  });

  it('[G-8] creates the same entries in every process, so that a store keeps each entry once', () => {
    const entries = [prompt, call('a'), call('b')];
    const uuids = [NOW, NOW + 5].map((now) => {
      const { missing, marker } = completeTranscript(entries, parkedCall('a'), now);
      return [...missing, marker].map((entry) => entry?.uuid);
    });
    expect(uuids[0]).toEqual(uuids[1]);
    expect(new Set(uuids[0]).size).toBe(2);
    expect(uuids[0]?.[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  });

  const answered = answerNote(parkedCall('a'), 'one', 'allow');

  it.each<[string, StoreEntry[]]>([
    ['not-found', [prompt, call('b')]],
    ['finished', [prompt, call('a'), result('a')]],
    ['finished', [prompt, call('a'), answered, result('a'), textEntry('assistant', 'done')]],
    ['superseded', [prompt, call('a'), textEntry('user', 'never mind')]],
    ['superseded', [prompt, call('a'), textEntry('assistant', 'next')]],
    ['answered', [prompt, call('a'), answered]],
  ])('[G-9] refuses a call that is %s', (problem, entries) => {
    expect(completeTranscript(entries, parkedCall('a'), NOW)).toMatchObject({ marker: undefined, problem });
  });

  it('[G-9] accepts a call that is followed by meta entries, subagents, results and the rest of its message', () => {
    const rest = [
      textEntry('user', 'a caveat', { isMeta: true }),
      textEntry('assistant', 'look', { isSidechain: true }),
      call('b'),
      result('b'),
    ];
    expect(completeTranscript([prompt, call('a'), ...rest], parkedCall('a'), NOW).problem).toBeUndefined();
  });

  it('[G-9] adds a result with an unknown outcome to an allowed call without a result', () => {
    const { missing, marker } = completeTranscript([prompt, call('a'), answered], undefined, NOW);
    expect(missing.map(textOf)).toEqual([expect.stringMatching(/^It is unknown whether this call ran/)]);
    expect(marker).toBeUndefined();
  });

  it('[G-9] adds nothing to a conversation in which another process may run the call', () => {
    expect(completeTranscript([prompt, call('a'), call('b'), answered], parkedCall('a'), NOW).missing).toEqual([]);
  });

  it('[G-9] changes nothing in a conversation without allowed calls', () => {
    const unchanged = { missing: [], marker: undefined, problem: undefined };
    expect(completeTranscript([prompt, call('a')], undefined, NOW)).toEqual(unchanged);
  });
});

describe('the note of an answer', () => {
  it('[G-9] applies if it is the first note for its call', () => {
    const notes = [
      answerNote(parkedCall('b'), 'zero', 'allow'),
      answerNote(parkedCall('a'), 'one', 'allow'),
      answerNote(parkedCall('a'), 'two', 'allow'),
    ];
    expect(answerProblem([prompt, call('a'), ...notes], 'a', 'one')).toBeUndefined();
    expect(answerProblem([prompt, call('a'), ...notes], 'a', 'two')).toBe('answered');
    expect(answerProblem([prompt, call('a'), textEntry('user', 'never mind'), ...notes], 'a', 'one')).toBe(
      'superseded',
    );
    expect(notes.every(isAnswerNote)).toBe(true);
    expect([prompt, call('a')].some(isAnswerNote)).toBe(false);
  });
});
