import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { plain } from '../../src/render/paint.ts';
import { askKey } from '../../src/terminal/key-prompt.ts';
import { type FakeTerminal, fakeTerminal } from './fake-terminal.ts';

const QUESTION = {
  title: 'Allow Bash rm -rf build?',
  details: ['Asked because: it removes files'],
  options: [
    { key: 'y', label: 'Yes, once' },
    { key: 'n', label: 'No' },
  ],
};
const never = new AbortController().signal;

describe('a question that one key answers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('[L-2] is not answered by keys typed while the agent works', async () => {
    const person = fakeTerminal();
    // A previously used line editor leaves the input paused, as in a chat.
    person.terminal.stdin.pause();
    person.press('y');
    const answer = askKey(person.terminal, QUESTION, plain, never);
    await ready();
    expect(person.screen.text).toMatch(/Press y or n:$/);
    person.press('n');
    expect(await answer).toBe('n');
    expect(person.screen.text).toMatch(/\n {3}No$/);
  });

  it('[L-2] is not answered by a user who is still typing when it appears', async () => {
    const person = fakeTerminal();
    const answer = askKey(person.terminal, QUESTION, plain, never);
    for (let at = 0; at < 20; at += 1) {
      person.press('y');
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(person.screen.text).not.toContain('Press');
    await ready();
    person.press('N');
    expect(await answer).toBe('n');
  });

  it('[L-2] accepts Ctrl-C at once, and leaves no "Yes" on the screen', async () => {
    const person = fakeTerminal();
    const answer = askKey(person.terminal, QUESTION, plain, never);
    person.press('\u0003');
    await vi.advanceTimersByTimeAsync(0);
    expect(await answer).toBeUndefined();
    expect(person.screen.lines.filter(Boolean)).toEqual([
      '■  Allow Bash rm -rf build?',
      '  Asked because: it removes files',
      '   No answer.',
    ]);
  });

  it('[L-2] ignores other keys, arrows and pasted words, and treats Escape as no answer', async () => {
    const person = fakeTerminal();
    const answer = askKey(person.terminal, QUESTION, plain, never);
    await ready();
    for (const keys of ['x', '\u001b[A', 'yes', '\r', '\u001b']) {
      person.press(keys);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(await answer).toBeUndefined();
  });

  it('[L-2] is withdrawn when its signal is aborted, and releases the terminal', async () => {
    const person = fakeTerminal();
    const withdrawn = new AbortController();
    const answer = askKey(person.terminal, QUESTION, plain, withdrawn.signal);
    expect(person.isRaw).toBe(true);
    withdrawn.abort();
    expect(await answer).toBeUndefined();
    expect(person.screen.text).toContain('The question was withdrawn.');
    expect([person.isRaw, person.terminal.stdin.isPaused()]).toEqual([false, true]);
  });

  it.each([16, 24, 30, 60])('[L-2] leaves one copy of the question, %s columns wide', async (columns) => {
    const person: FakeTerminal = fakeTerminal(columns);
    const long = { ...QUESTION, details: ['Edit /a/very/long/path/to/a/file/that/is/wider/than/that.ts'] };
    const answer = askKey(person.terminal, long, plain, never);
    await ready();
    person.press('y');
    expect(await answer).toBe('y');
    expect(person.screen.text.match(/Allow/g)).toHaveLength(1);
    expect(person.screen.text).not.toMatch(/Press|No/);
  });
});

/** A short time without keys. */
async function ready(): Promise<void> {
  await vi.advanceTimersByTimeAsync(500);
}
