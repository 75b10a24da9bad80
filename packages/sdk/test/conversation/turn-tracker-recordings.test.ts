import { describe, expect, it } from 'vitest';
import { idleTracker, promptWritten, track } from '../../src/conversation/turn-tracker.ts';
import { kindOf, recordedSteps } from './recorded-frames.ts';

/**
 * The destinations of the frames of a recording if a session sends each prompt after the end of the previous one.
 * `>` is the prompt, a bare kind goes to its turn, `(…)` to no turn, `~` is the echo, `+` starts and `.` ends the turn.
 */
function destinations(recording: string): string {
  let tracker = idleTracker;
  const prompts: string[] = [];
  const parts: string[] = [];
  const send = (): void => {
    const prompt = tracker.turn === undefined ? prompts.shift() : undefined;
    if (prompt === undefined) return;
    tracker = promptWritten(tracker, 'turn', prompt);
    parts.push('>');
  };
  for (const step of recordedSteps(recording)) {
    if ('prompt' in step) {
      prompts.push(step.prompt);
    } else {
      const { tracker: next, to, began, ended } = track(tracker, step.message);
      tracker = next;
      const kind = kindOf(step.message).replace(/^(system|command_lifecycle)\//, '');
      const shown = { turn: kind, background: `(${kind})`, echo: '~', undecided: `${kind}?` }[to];
      parts.push(`${began ? '+' : ''}${shown}${ended ? '.' : ''}`);
    }
    send();
  }
  return parts.join(' ');
}

describe('recorded sessions', () => {
  it.each([
    [
      'B-queue-three.325',
      '> queued +started init queued queued ~ assistant result. > (completed) +~ started started init user/replay assistant result. > (completed) completed.',
    ],
    ['B-queue-three.197', '> +init ~ assistant result. > +~ init user/replay assistant result. >'],
    ['B-queue-three-noreplay.325', '> +init assistant result. > +init assistant result. >'],
    ['B-queue-three-noreplay.197', '> +init assistant result. > +init assistant result. >'],
    ['F-interrupt-bash.325', '> +init assistant assistant user user result. > +init assistant result.'],
    ['F-interrupt-bash.197', '> +init assistant assistant user user result. > +init assistant result.'],
    [
      'F-interrupt-streaming.325',
      `> +init status ${'stream_event '.repeat(3)}assistant user ${'stream_event '.repeat(3)}result. > +init status ${'stream_event '.repeat(7)}assistant ${'stream_event '.repeat(3)}result.`,
    ],
    ['F-interrupt-cancel-queued.325', '> +init queued cancelled user result. >'],
    [
      'H-subagent-default.325',
      '> +init assistant assistant task_started user task_progress assistant user task_updated task_notification user assistant result.',
    ],
    [
      'F-eof-with-background-task.325',
      '> +init assistant assistant background_tasks_changed task_started user assistant result. (task_updated) (task_notification) (background_tasks_changed) (init) (assistant) (result)',
    ],
    [
      'F-rewind-files-env-1.325',
      '> queued +started init ~ assistant user assistant user assistant user assistant result. > (completed) queued +started init ~ assistant user assistant result. (completed)',
    ],
    [
      'F-rewind-files-env-1.197',
      '> +init ~ assistant user assistant user assistant user assistant result. > +init ~ assistant user assistant result.',
    ],
    [
      'F-all-control-requests.197',
      `> +init assistant result. ${'(status) '.repeat(5)}${'(user/replay) '.repeat(5)}(commands_changed)`,
    ],
  ])('[S-3] %s', (recording, expected) => {
    expect(destinations(recording)).toBe(expected);
  });
});
