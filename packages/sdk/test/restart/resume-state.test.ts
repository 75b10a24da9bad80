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
const answer = wire({ type: 'assistant', message: { model: 'm', content: [] }, session_id: 's1' });
const synthetic = wire({ type: 'assistant', message: { model: '<synthetic>' }, session_id: 's1' });
const result = wire({ type: 'result', session_id: 's1' });
const MISSING = 'It printed: No conversation found with session ID: s1';
const IN_USE = 'Error: Session ID s1 is already in use.';
/** A refusal that allows another attempt. */
function changed(effect: ReturnType<typeof afterRefusal>): ResumeState {
  if (typeof effect !== 'object') throw new Error(`The refusal returned ${effect}.`);
  return effect;
}

describe('the resume state of a conversation', () => {
  const from = (...messages: Message[]) =>
    messages.reduce((known, message) => afterMessage(known, message, NOW), initialResumeState(OPTIONS, 's1'));

  it.each([
    ['nothing was received', [], 'no'],
    ['only the init was received', [init], 'no'],
    ['a message without a session was received', [wire({ type: 'system', subtype: 'status' })], 'no'],
    ['a malformed message was received', [wire({ type: 'assistant', message: null })], 'begun'],
    ['a tool result of an earlier conversation was received', [wire({ type: 'user', session_id: 's1' })], 'no'],
    ['the prompt was echoed', [init, echo], 'begun'],
    ['the API could not be reached', [init, echo, synthetic, result], 'begun'],
    ['the CLI answered a command itself', [init, synthetic, result], 'no'],
    ['the prompt was answered in part', [init, echo, answer], 'begun'],
    ['the prompt was answered', [init, echo, answer, result], 'kept'],
  ] as const)('[A-2] %s', (_, messages, onDisk) => {
    const conversation = from(...messages);
    expect(conversation.onDisk).toBe(onDisk);
    expect(startMode(conversation)).toBe(onDisk === 'no' ? 'repeat' : 'resume');
  });

  it('[A-2] is the same object after a message without effect', () => {
    const kept = from(init, echo, answer, result);
    for (const message of [init, echo, answer, result, wire({ type: 'stream_event' })])
      expect(afterMessage(kept, message, NOW + 1)).toBe(kept);
  });

  it('[A-2] is existing for a resumed conversation, and new for a forked one', () => {
    expect(initialResumeState({ ...OPTIONS, resume: 'r' }, 'r').onDisk).toBe('kept');
    expect(initialResumeState({ ...OPTIONS, resume: 'r', forkSession: true }, 'f').onDisk).toBe('no');
    expect(initialResumeState({ ...OPTIONS, resume: 'r', resumeAt: 'm' }, 'r').onDisk).toBe('no');
    expect(startMode(initialResumeState({ ...OPTIONS, continue: true }, undefined))).toBe('repeat');
  });

  it('[A-2] is new and unknown after a clear', () => {
    const cleared = afterMessage(from(init, echo, answer, result), wire({ type: 'result', session_id: 's2' }), NOW);
    const nothing = { onDisk: 'no', keptAt: 0, answered: false, refusedAs: undefined };
    expect(cleared).toEqual({ id: 's2', original: false, ...nothing });
  });

  it('[A-2] follows the answer of the CLI', () => {
    const [begun, kept] = [from(init, echo), from(init, echo, answer, result)];
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
    const context = { diedAt: NOW, newId: 'n1' };
    const other = way === 'resume' ? 'repeat' : 'resume';
    const once = changed(afterRefusal(from(init, echo), way, { ...context, words: first }));
    expect(startMode(once)).toBe(other);
    const twice = changed(afterRefusal(once, other, { ...context, words: second }));
    expect(twice).toEqual({ ...from(), id: 'n1', keptAt: 0 });
    expect(startMode(twice)).toBe('repeat');
  });

  it('[A-2] ignores refusals before the conversation was resumed', () => {
    const context = { diedAt: NOW, newId: 'n1' };
    const taken = afterStart(changed(afterRefusal(from(init, echo), 'resume', { ...context, words: MISSING })));
    expect(afterRefusal(taken, 'repeat', { ...context, words: IN_USE })).toMatchObject({ id: 's1', onDisk: 'begun' });
  });
});

describe('the resume options of the next CLI', () => {
  const plan = (options: object): RunPlan => ({ ...NO_PLAN, options: { ...OPTIONS, ...options }, warnings: [] });
  const at = (onDisk: 'no' | 'begun', original = true) => ({
    ...{ id: 's1', onDisk, keptAt: 0, answered: false, original },
    refusedAs: undefined,
  });

  it.each([
    ['of a new conversation', {}, at('no'), { sessionId: 's1' }],
    ['of a new conversation with a prompt', {}, at('begun'), { resume: 's1' }],
    ['of a conversation with a given id', { sessionId: 's1' }, at('no'), { sessionId: 's1' }],
    ['of a resumed conversation', { resume: 's1', resumeAt: 'm' }, at('no'), { resume: 's1', resumeAt: 'm' }],
    ['of a resumed conversation with a new prompt', { resume: 's1', resumeAt: 'm' }, at('begun'), { resume: 's1' }],
    ['of a fork', { resume: 'r', forkSession: true }, at('no'), { resume: 'r', forkSession: true, sessionId: 's1' }],
    ['of a fork with a prompt', { resume: 'r', forkSession: true }, at('begun'), { resume: 's1' }],
    ['of the newest conversation', { continue: true }, at('no'), { continue: true }],
    ['of the newest conversation with a new prompt', { continue: true }, at('begun'), { resume: 's1' }],
    ['of a cleared conversation', { resume: 'r', forkSession: true }, at('no', false), { sessionId: 's1' }],
  ] as const)('[A-2] %s', (_, options, conversation, expected) => {
    const next = nextPlan(plan({ maxTurns: 3, ...options }), conversation, startMode(conversation), {}).options;
    const { resume, resumeAt, sessionId, forkSession, continue: goesOn, maxTurns } = next;
    const found = Object.entries({ resume, resumeAt, sessionId, forkSession, continue: goesOn });
    expect(Object.fromEntries(found.filter(([, value]) => value !== undefined))).toEqual(expected);
    expect(maxTurns).toBe(3);
  });

  it.each([
    ['no changed setting', {}, { model: 'a', maxThinkingTokens: 5 }],
    ['a changed model', { model: 'b' }, { model: 'b', maxThinkingTokens: 5 }],
    ['a changed mode', { permissionMode: 'plan' }, { permissionMode: 'plan' }],
    ['thinking', { maxThinkingTokens: 9 }, { maxThinkingTokens: 9, thinking: undefined }],
    ['disabled thinking', { maxThinkingTokens: 0 }, { maxThinkingTokens: undefined, thinking: { type: 'disabled' } }],
    ['the default thinking', { maxThinkingTokens: null }, { maxThinkingTokens: undefined, thinking: undefined }],
  ] as const)('[A-2] after %s', (_, settings, expected) => {
    const given = plan({ model: 'a', maxThinkingTokens: 5 });
    expect(nextPlan(given, at('begun'), 'resume', settings).options).toMatchObject(expected);
  });
});
