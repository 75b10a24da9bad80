import { describe, expect, it } from 'vitest';
import type { RunPlan } from '../../src/options/plan.ts';
import { NO_PLAN } from '../../src/options/plan.ts';
import {
  afterMessage,
  afterRefusal,
  afterStart,
  initialResumeState,
  nextPlan,
  type ResumeState,
  startMode,
} from '../../src/restart/resume-state.ts';
import type { Message } from '../../src/wire/messages.ts';

const OPTIONS = NO_PLAN.options;
const NOW = 1_800_000_000_000;
/** A message of the wire with only the relevant fields. */
const wire = (message: object): Message => message as Message;
const init = wire({ type: 'system', subtype: 'init', session_id: 's1' });
const echo = wire({ type: 'user', isReplay: true, session_id: 's1' });
const said = wire({ type: 'assistant', message: { model: 'm', content: [] }, session_id: 's1' });
const synthetic = wire({ type: 'assistant', message: { model: '<synthetic>' }, session_id: 's1' });
const result = wire({ type: 'result', session_id: 's1' });
const MISSING = 'It printed: No conversation found with session ID: s1';
const IN_USE = 'Error: Session ID s1 is already in use.';
/** A refusal that allows another attempt. */
function changed(told: ReturnType<typeof afterRefusal>): ResumeState {
  if (typeof told !== 'object') throw new Error(`The refusal gave ${told}.`);
  return told;
}

describe('the resume state of a conversation', () => {
  const from = (...messages: Message[]) =>
    messages.reduce((known, message) => afterMessage(known, message, NOW), initialResumeState(OPTIONS, 's1'));

  it.each([
    ['nothing came', [], 'no'],
    ['it was only begun', [init], 'no'],
    ['a message without a session', [wire({ type: 'system', subtype: 'status' })], 'no'],
    ['a hostile message', [wire({ type: 'assistant', message: null })], 'begun'],
    ['a tool result of an earlier one', [wire({ type: 'user', session_id: 's1' })], 'no'],
    ['the prompt was taken up', [init, echo], 'begun'],
    ['the API could not be reached', [init, echo, synthetic, result], 'begun'],
    ['a command of the CLI that it answers itself', [init, synthetic, result], 'no'],
    ['it was answered in part', [init, echo, said], 'begun'],
    ['it was answered', [init, echo, said, result], 'kept'],
  ] as const)('[A-2] %s', (_, messages, onDisk) => {
    const conversation = from(...messages);
    expect(conversation.onDisk).toBe(onDisk);
    expect(startMode(conversation)).toBe(onDisk === 'no' ? 'repeat' : 'resume');
  });

  it('[A-2] is the same object after a message without effect', () => {
    const kept = from(init, echo, said, result);
    for (const message of [init, echo, said, result, wire({ type: 'stream_event' })])
      expect(afterMessage(kept, message, NOW + 1)).toBe(kept);
  });

  it('[A-2] is existing for a resumed conversation, and new for a forked one', () => {
    expect(initialResumeState({ ...OPTIONS, resume: 'r' }, 'r').onDisk).toBe('kept');
    expect(initialResumeState({ ...OPTIONS, resume: 'r', forkSession: true }, 'f').onDisk).toBe('no');
    expect(initialResumeState({ ...OPTIONS, resume: 'r', resumeAt: 'm' }, 'r').onDisk).toBe('no');
    expect(startMode(initialResumeState({ ...OPTIONS, continue: true }, undefined))).toBe('repeat');
  });

  it('[A-2] is new and unknown after a clear', () => {
    const cleared = afterMessage(from(init, echo, said, result), wire({ type: 'result', session_id: 's2' }), NOW);
    const nothing = { onDisk: 'no', keptAt: 0, answered: false, refusedAs: undefined };
    expect(cleared).toEqual({ id: 's2', original: false, ...nothing });
  });

  it('[A-2] follows the answer of the CLI', () => {
    const [begun, kept] = [from(init, echo), from(init, echo, said, result)];
    const missing = { words: MISSING, diedAt: NOW + 2_000, newId: 'n1' };
    const used = { words: IN_USE, diedAt: NOW, newId: 'n1' };
    expect(afterRefusal(begun, 'resume', missing)).toMatchObject({ onDisk: 'no' });
    expect(afterRefusal(from(init), 'repeat', used)).toMatchObject({ onDisk: 'begun' });
    expect(afterRefusal(begun, 'resume', { ...used, words: 'out of memory' })).toBeUndefined();
    expect(afterRefusal(begun, 'resume', used)).toBeUndefined();
    expect(afterRefusal(begun, 'repeat', missing)).toBe('lost');
    expect(afterRefusal(kept, 'resume', missing)).toBe('lost');
    // A CLI that was killed during its output may not have written anything.
    expect(afterRefusal(kept, 'resume', { ...missing, diedAt: NOW + 900 })).toMatchObject({
      onDisk: 'no',
      answered: false,
    });
    expect(afterRefusal(initialResumeState({ ...OPTIONS, resume: 's1' }, 's1'), 'resume', missing)).toBe('lost');
  });

  it.each([
    ['not found, then in use', 'resume', [MISSING, IN_USE]],
    ['in use, then not found', 'repeat', [IN_USE, MISSING]],
  ] as const)('[A-2] is empty, with a new id, for a conversation that is %s', (_, way, [first, second]) => {
    const told = { diedAt: NOW, newId: 'n1' };
    const other = way === 'resume' ? 'repeat' : 'resume';
    const once = changed(afterRefusal(from(init, echo), way, { ...told, words: first }));
    expect(startMode(once)).toBe(other);
    const twice = changed(afterRefusal(once, other, { ...told, words: second }));
    expect(twice).toEqual({ ...from(), id: 'n1', keptAt: 0 });
    expect(startMode(twice)).toBe('repeat');
  });

  it('[A-2] ignores refusals before the conversation was resumed', () => {
    const told = { diedAt: NOW, newId: 'n1' };
    const taken = afterStart(changed(afterRefusal(from(init, echo), 'resume', { ...told, words: MISSING })));
    expect(afterRefusal(taken, 'repeat', { ...told, words: IN_USE })).toMatchObject({ id: 's1', onDisk: 'begun' });
  });
});

describe('the resume options of the next CLI', () => {
  const plan = (options: object): RunPlan => ({ ...NO_PLAN, options: { ...OPTIONS, ...options }, warnings: [] });
  const at = (onDisk: 'no' | 'begun', original = true) => ({
    ...{ id: 's1', onDisk, keptAt: 0, answered: false, original },
    refusedAs: undefined,
  });

  it.each([
    ['a new one', {}, at('no'), { sessionId: 's1' }],
    ['a new one that was begun', {}, at('begun'), { resume: 's1' }],
    ['one with an id of its own', { sessionId: 's1' }, at('no'), { sessionId: 's1' }],
    ['a resumed one', { resume: 's1', resumeAt: 'm' }, at('no'), { resume: 's1', resumeAt: 'm' }],
    ['a resumed one that went on', { resume: 's1', resumeAt: 'm' }, at('begun'), { resume: 's1' }],
    ['a fork', { resume: 'r', forkSession: true }, at('no'), { resume: 'r', forkSession: true, sessionId: 's1' }],
    ['a fork that was begun', { resume: 'r', forkSession: true }, at('begun'), { resume: 's1' }],
    ['the newest one', { continue: true }, at('no'), { continue: true }],
    ['the newest one that went on', { continue: true }, at('begun'), { resume: 's1' }],
    ['one that was cleared', { resume: 'r', forkSession: true }, at('no', false), { sessionId: 's1' }],
  ] as const)('[A-2] %s', (_, options, conversation, expected) => {
    const next = nextPlan(plan({ maxTurns: 3, ...options }), conversation, startMode(conversation), {}).options;
    const { resume, resumeAt, sessionId, forkSession, continue: goesOn, maxTurns } = next;
    const found = Object.entries({ resume, resumeAt, sessionId, forkSession, continue: goesOn });
    expect(Object.fromEntries(found.filter(([, value]) => value !== undefined))).toEqual(expected);
    expect(maxTurns).toBe(3);
  });

  it.each([
    ['nothing was set', {}, { model: 'a', maxThinkingTokens: 5 }],
    ['a model', { model: 'b' }, { model: 'b', maxThinkingTokens: 5 }],
    ['a mode', { permissionMode: 'plan' }, { permissionMode: 'plan' }],
    ['thinking', { maxThinkingTokens: 9 }, { maxThinkingTokens: 9, thinking: undefined }],
    ['no thinking', { maxThinkingTokens: 0 }, { maxThinkingTokens: undefined, thinking: { type: 'disabled' } }],
    ['the default thinking', { maxThinkingTokens: null }, { maxThinkingTokens: undefined, thinking: undefined }],
  ] as const)('[A-2] after %s', (_, settings, expected) => {
    const given = plan({ model: 'a', maxThinkingTokens: 5 });
    expect(nextPlan(given, at('begun'), 'resume', settings).options).toMatchObject(expected);
  });
});
