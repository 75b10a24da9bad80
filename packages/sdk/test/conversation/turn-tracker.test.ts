import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  idleTracker,
  isFree,
  isQuiet,
  promptWritten,
  type TurnTracker,
  track,
  turnDropped,
} from '../../src/conversation/turn-tracker.ts';
import type { Message } from '../../src/wire/messages.ts';

const US = 'ours';
const OTHER = { origin: { kind: 'task-notification' } };
const FRAMES = {
  init: { type: 'system', subtype: 'init' },
  'init of ours': { type: 'system', subtype: 'init', user_message_uuids: [US] },
  'init of another': { type: 'system', subtype: 'init', user_message_uuids: ['another'] },
  queued: { type: 'command_lifecycle', command_uuid: US, state: 'queued' },
  started: { type: 'command_lifecycle', command_uuid: US, state: 'started' },
  completed: { type: 'command_lifecycle', command_uuid: US, state: 'completed' },
  cancelled: { type: 'command_lifecycle', command_uuid: US, state: 'cancelled' },
  'completed, another': { type: 'command_lifecycle', command_uuid: 'another', state: 'completed' },
  echo: { type: 'user', uuid: US, isReplay: true },
  'echo of another': { type: 'user', uuid: 'another', isReplay: true },
  'user with our uuid': { type: 'user', uuid: US },
  answer: { type: 'assistant' },
  refused: { type: 'system', subtype: 'informational' },
  news: { type: 'news', fresh: true },
  'task a': { type: 'system', subtype: 'task_started', task_id: 'a' },
  'task a ended': { type: 'system', subtype: 'task_notification', task_id: 'a', status: 'completed' },
  'task a ended, to notify': {
    type: 'system',
    subtype: 'task_notification',
    task_id: 'a',
    tool_use_id: 'u',
    output_file: '/o',
  },
  'task a stopped': {
    type: 'system',
    subtype: 'task_notification',
    task_id: 'a',
    status: 'stopped',
    output_file: '/o',
  },
  'its tool result': { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u' }] } },
  'model notified': {
    type: 'user',
    isReplay: true,
    message: { role: 'user', content: '<task-notification><task-id>a</task-id></task-notification>' },
  },
  'echo of the pushed': { type: 'user', uuid: 'pushed', isReplay: true },
  'pushed queued': { type: 'command_lifecycle', command_uuid: 'pushed', state: 'queued' },
  'pushed started': { type: 'command_lifecycle', command_uuid: 'pushed', state: 'started' },
  'pushed completed': { type: 'command_lifecycle', command_uuid: 'pushed', state: 'completed' },
  'result of the pushed': { type: 'result', subtype: 'success', user_message_uuids: ['pushed'] },
  'echo of the addition': { type: 'user', uuid: 'added', isReplay: true },
  'addition queued': { type: 'command_lifecycle', command_uuid: 'added', state: 'queued' },
  'addition started': { type: 'command_lifecycle', command_uuid: 'added', state: 'started' },
  'addition completed': { type: 'command_lifecycle', command_uuid: 'added', state: 'completed' },
  'addition cancelled': { type: 'command_lifecycle', command_uuid: 'added', state: 'cancelled' },
  'result of the addition': { type: 'result', subtype: 'success', user_message_uuids: ['added'] },
  'result of the addition and a task': { type: 'result', subtype: 'success', user_message_uuids: ['added'], ...OTHER },
  'task without id': { type: 'system', subtype: 'task_started' },
  result: { type: 'result', subtype: 'success' },
  'result of ours': { type: 'result', subtype: 'success', user_message_uuids: ['x', US] },
  'result of ours, alone': { type: 'result', subtype: 'success', user_message_uuid: US },
  'result of another': { type: 'result', subtype: 'success', user_message_uuids: ['another'] },
  'result of a task': { type: 'result', subtype: 'success', ...OTHER },
  'result of ours and a task': { type: 'result', subtype: 'success', user_message_uuids: [US], ...OTHER },
  'result of a person': { type: 'result', subtype: 'success', origin: { kind: 'human' } },
} as const;

type Name = keyof typeof FRAMES | keyof typeof ACTS;

const ACTS = {
  SEND: (tracker: TurnTracker) => promptWritten(tracker, 'turn', US),
  ADD: (tracker: TurnTracker) => promptWritten(tracker, 'addition', 'added'),
  PUSH: (tracker: TurnTracker) => promptWritten(tracker, 'pushed', 'pushed'),
  DROP: turnDropped,
};

/** Plays frames. Reports the destination of each, and when undecided frames, the start and the end were settled. */
function play(names: readonly Name[]): { routed: string; tracker: TurnTracker } {
  let tracker = idleTracker;
  const routed: string[] = [];
  for (const name of names) {
    if (name === 'SEND' || name === 'ADD' || name === 'PUSH' || name === 'DROP') {
      tracker = ACTS[name](tracker);
      continue;
    }
    const step = track(tracker, message(name));
    tracker = step.tracker;
    const settled = step.undecidedTo ? `=${step.undecidedTo} ` : '';
    routed.push(`${settled}${step.began ? '+' : ''}${step.to}${step.ended ? '.' : ''}`);
  }
  return { routed: routed.join(' '), tracker };
}

/** Messages require only `type`; the tracker must not need more. */
const message = (name: keyof typeof FRAMES): Message => FRAMES[name] as unknown as Message;

describe('the destination of frames', () => {
  it.each<[string, Name[], string]>([
    [
      'an ordinary turn of 2.1.325',
      ['SEND', 'queued', 'started', 'init of ours', 'echo', 'answer', 'result of ours'],
      'turn +turn turn echo turn turn.',
    ],
    ['an ordinary turn of 2.1.197', ['SEND', 'init', 'echo', 'answer', 'result'], '+turn echo turn turn.'],
    ['a turn without init, as when a hook blocks the prompt', ['SEND', 'answer', 'result'], 'turn +turn.'],
    ['a result that names its prompt in user_message_uuid', ['SEND', 'init', 'result of ours, alone'], '+turn turn.'],
    ['a result whose origin is the user', ['SEND', 'init', 'result of a person'], '+turn turn.'],
    [
      'a replay is an echo only if it is that of our prompt',
      ['SEND', 'init', 'echo of another', 'user with our uuid', 'echo'],
      '+turn turn turn echo',
    ],
    [
      'unknown frames belong to the running turn',
      ['news', 'SEND', 'news', 'init', 'news'],
      'background turn +turn turn',
    ],
    [
      'an init in the middle of a turn, as after a compaction',
      ['SEND', 'init', 'answer', 'init', 'answer', 'result'],
      '+turn turn turn turn turn.',
    ],
    ['a run without a prompt', ['init', 'answer', 'result'], 'background background background'],
    [
      'the end of the previous turn arrives after the next prompt',
      ['SEND', 'completed, another', 'started'],
      'background +turn',
    ],
    [
      'the result of another prompt does not end the turn',
      ['SEND', 'init', 'result of another', 'answer', 'result of ours'],
      '+turn background turn turn.',
    ],
    ['a turn that was dropped', ['SEND', 'init', 'DROP', 'answer', 'result'], '+turn background background'],
  ])('[S-3] %s', (_, names, expected) => {
    expect(play(names).routed).toBe(expected);
  });
});

describe('background work of the CLI', () => {
  it.each<[string, Name[], string]>([
    [
      'a task that ends between turns',
      ['SEND', 'init', 'task a', 'result', 'task a ended', 'init', 'answer', 'result of a task'],
      '+turn turn turn. background background background background',
    ],
    [
      "a prompt sent during the CLI's own turn, the rest of which is background work",
      ['init', 'answer', 'SEND', 'answer', 'result of a task', 'init', 'echo', 'answer', 'result'],
      'background background background background +turn echo turn turn.',
    ],
    [
      "a prompt sent during the CLI's own turn, whose result names no origin",
      ['init', 'SEND', 'answer', 'result', 'started', 'answer', 'result of ours'],
      'background background background +turn turn turn.',
    ],
    [
      "a prompt that joins the CLI's own turn ends with it",
      ['init', 'SEND', 'answer', 'echo', 'answer', 'result of a task'],
      'background background +echo turn turn.',
    ],
    [
      "a prompt sent just before the CLI's own turn: undecided until the result",
      ['task a', 'SEND', 'task a ended', 'init', 'answer', 'result of a task', 'init', 'echo', 'result'],
      'background turn undecided undecided =background background +turn echo turn.',
    ],
    [
      'undecided until the echo of our prompt',
      ['task a', 'SEND', 'init', 'answer', 'echo', 'answer', 'result'],
      'background undecided undecided =turn +echo turn turn.',
    ],
    [
      'undecided until the lifecycle frame of our prompt',
      ['task a', 'SEND', 'init', 'started', 'result of ours'],
      'background undecided =turn +turn turn.',
    ],
    [
      'undecided until the result of our prompt',
      ['task a', 'SEND', 'init', 'result'],
      'background undecided =turn +turn.',
    ],
    [
      'never undecided if the init names our prompt',
      ['task a', 'SEND', 'init of ours', 'result'],
      'background +turn turn.',
    ],
    [
      'the init names another prompt',
      ['SEND', 'init of another', 'answer', 'result of another', 'init of ours', 'result of ours'],
      'background background background +turn turn.',
    ],
    [
      'a run that starts while 2.1.325 has only queued the prompt',
      [
        'task a',
        'SEND',
        'queued',
        'task a ended',
        'init',
        'answer',
        'result of a task',
        'started',
        'init of ours',
        'result of ours',
      ],
      'background turn turn background background background +turn turn turn.',
    ],
    [
      'a run about a task that ended long before, while 2.1.325 has only queued the prompt',
      [
        'task a',
        'task a ended, to notify',
        'SEND',
        'queued',
        'init',
        'result of a task',
        'started',
        'init',
        'result of ours',
      ],
      'background background turn background background +turn turn turn.',
    ],
    [
      'a run that starts before 2.1.325 has read the prompt',
      [
        'task a',
        'SEND',
        'init',
        'answer',
        'queued',
        'answer',
        'result of a task',
        'started',
        'init of ours',
        'result of ours',
      ],
      'background undecided undecided =background background background background +turn turn turn.',
    ],
    [
      'a run without a known reason that starts before 2.1.325 has read the prompt',
      ['SEND', 'init', 'queued', 'answer', 'result of a task', 'started', 'init of ours', 'result of ours'],
      '+turn background background background turn turn turn.',
    ],
    [
      'a run without a known reason that ends before 2.1.325 has read the prompt',
      ['SEND', 'init', 'result of a task', 'queued', 'started', 'init of ours', 'answer', 'result of ours'],
      '+turn background turn turn turn turn turn.',
    ],
    [
      'one run for each stopped task, as 2.1.325 starts them when it resumes',
      ['task a stopped', 'init', 'result of a task', 'SEND', 'init', 'result of a task', 'init', 'echo', 'result'],
      'background background background +turn background turn echo turn.',
    ],
    [
      'a prompt that joins a run of 2.1.325 and is completed before the result',
      ['init', 'SEND', 'queued', 'answer', 'echo', 'started', 'answer', 'completed', 'result of ours and a task'],
      'background turn background +echo turn turn turn turn.',
    ],
    [
      'two tasks of 2.1.197 with one run each',
      [
        'task a',
        'SEND',
        'task a ended, to notify',
        'init',
        'answer',
        'result of a task',
        'task a ended, to notify',
        'init',
        'answer',
        'result of a task',
        'init',
        'echo',
        'result',
      ],
      'background turn undecided undecided =background background turn undecided undecided =background background +turn echo turn.',
    ],
    ['a prompt that the CLI cancels unread ends without a result', ['SEND', 'queued', 'cancelled'], 'turn turn.'],
  ])('[S-3] %s', (_, names, expected) => {
    expect(play(names).routed).toBe(expected);
  });
});

describe('an addition to a turn', () => {
  it.each<[string, Name[], string]>([
    [
      'ends with the turn if it joins the turn',
      ['SEND', 'init', 'ADD', 'echo of the addition', 'result'],
      '+turn echo turn.',
    ],
    [
      'extends the turn to the result after the next one if it does not join',
      ['SEND', 'init', 'ADD', 'answer', 'result', 'init', 'echo of the addition', 'answer', 'result'],
      '+turn turn turn turn echo turn turn.',
    ],
    [
      'does not extend the turn if it is withdrawn',
      ['SEND', 'init', 'ADD', 'addition cancelled', 'result'],
      '+turn turn turn.',
    ],
    [
      'ends the turn with a result that names it instead of the prompt',
      ['SEND', 'init', 'ADD', 'result of ours', 'echo of the addition', 'result of the addition'],
      '+turn turn echo turn.',
    ],
    [
      'has no echo if a hook refuses it in the turn that it joined, as reported by 2.1.325',
      [
        'SEND',
        'init of ours',
        'ADD',
        'addition queued',
        'its tool result',
        'addition started',
        'addition completed',
        'refused',
        'answer',
        'result of ours',
        'completed',
      ],
      '+turn turn turn turn turn turn turn turn. background',
    ],
    [
      'ends the turn if a hook refuses it in a separate run, as reported by 2.1.325',
      [
        'SEND',
        'init of ours',
        'ADD',
        'addition queued',
        'result of ours',
        'completed',
        'addition started',
        'init',
        'refused',
        'result of the addition',
        'addition completed',
      ],
      '+turn turn turn turn turn turn turn turn. background',
    ],
    [
      'is followed only by another result if a hook refuses it in a separate run, as reported by 2.1.197',
      ['SEND', 'init', 'ADD', 'answer', 'result', 'init', 'refused', 'result', 'SEND', 'init', 'result'],
      '+turn turn turn turn turn turn. +turn turn.',
    ],
    [
      'is not ended by the result of a task before its own result',
      ['SEND', 'init', 'ADD', 'result', 'init', 'result of a task', 'init', 'refused', 'result'],
      '+turn turn turn turn turn turn turn.',
    ],
    [
      'after the result joins a run of the CLI, whose result names it',
      [
        'SEND',
        'init of ours',
        'ADD',
        'addition queued',
        'result of ours',
        'cancelled',
        'init',
        'answer',
        'echo of the addition',
        'addition started',
        'answer',
        'addition completed',
        'result of the addition and a task',
      ],
      '+turn turn turn turn background background echo turn turn turn turn.',
    ],
    [
      'to a dropped turn does not affect the next one',
      ['SEND', 'ADD', 'DROP', 'SEND', 'init', 'result'],
      '+turn turn.',
    ],
  ])('[S-3] %s', (_, names, expected) => {
    expect(play(names).routed).toBe(expected);
  });
});

describe('a pushed frame', () => {
  it.each<[string, Name[], string, boolean]>([
    ['is pending while the CLI handles it', ['PUSH', 'init', 'echo of the pushed'], 'background background', false],
    [
      'in a separate run, as reported by 2.1.197',
      ['PUSH', 'init', 'echo of the pushed', 'answer', 'result'],
      'background background background background',
      true,
    ],
    [
      'in a separate run, as reported by 2.1.325',
      ['PUSH', 'pushed queued', 'pushed started', 'init', 'result of the pushed', 'pushed completed'],
      'background background background background background',
      true,
    ],
    [
      'is done with the result of the turn that it joins',
      ['SEND', 'init', 'PUSH', 'echo of the pushed', 'answer', 'result'],
      '+turn turn turn turn.',
      true,
    ],
    ['behind a turn delays the next prompt', ['SEND', 'init', 'PUSH', 'result'], '+turn turn.', false],
    [
      'behind a turn, in a separate run',
      ['SEND', 'init', 'PUSH', 'result', 'init', 'echo of the pushed', 'result'],
      '+turn turn. background background background',
      true,
    ],
    [
      'has no echo if a hook refuses it on 2.1.197',
      ['SEND', 'init', 'PUSH', 'result', 'init', 'refused', 'result'],
      '+turn turn. background background background',
      true,
    ],
    [
      'has no echo if a hook refuses it on 2.1.197 behind a run of the CLI',
      ['init', 'PUSH', 'result of a task', 'init', 'refused', 'result'],
      'background background background background background',
      true,
    ],
  ])('[S-3] %s', (_, names, expected, free) => {
    const played = play(names);
    expect(played.routed).toBe(expected);
    expect(isFree(played.tracker)).toBe(free);
  });
});

describe('a turn that ends during a run of the CLI', () => {
  const ended: Name[] = [
    'SEND',
    'init of ours',
    'ADD',
    'addition queued',
    'result of ours',
    'init',
    'addition cancelled',
  ];

  it('[S-3] does not take over that run, and the next prompt waits for its end', () => {
    const played = play(ended);
    expect(played.routed).toBe('+turn turn turn background turn.');
    expect([isFree(played.tracker), isFree(play([...ended, 'answer', 'result of a task']).tracker)]).toEqual([
      false,
      true,
    ]);
  });
});

describe('a quiet tracker', () => {
  it.each<[string, Name[], boolean]>([
    ['initially', [], true],
    ['with a prompt sent', ['SEND'], false],
    ['with a started turn', ['SEND', 'init'], false],
    ['after the result', ['SEND', 'init', 'result'], true],
    ['with an open task', ['SEND', 'init', 'task a', 'result'], false],
    ['once the task has ended', ['SEND', 'init', 'task a', 'result', 'task a ended'], true],
    ['while the CLI still has to notify the model of a task', ['task a', 'task a ended, to notify'], false],
    [
      "once the model is notified in the CLI's own turn",
      ['task a', 'task a ended, to notify', 'init', 'result of a task'],
      true,
    ],
    [
      'once the model is notified in our turn',
      ['task a', 'SEND', 'task a ended, to notify', 'model notified', 'result'],
      true,
    ],
    [
      'once the tool result of a task in the foreground has arrived',
      ['task a', 'task a ended, to notify', 'its tool result'],
      true,
    ],
    ['after a stopped task, about which the model is not notified', ['task a', 'task a stopped'], true],
    ["during the CLI's own turn", ['init'], false],
    ['after that turn', ['init', 'result of a task'], true],
    ['with a task without an id, whose end cannot be detected', ['task without id'], true],
    ['after the turn was dropped', ['SEND', 'DROP'], true],
  ])('[S-3] %s', (_, names, expected) => {
    expect(isQuiet(play(names).tracker)).toBe(expected);
  });
});

describe('any frames', () => {
  const names = fc.array(fc.constantFrom(...(Object.keys(FRAMES) as (keyof typeof FRAMES)[]), 'SEND' as const), {
    maxLength: 40,
  });

  it('[S-3] have exactly one destination each, even undecided ones; a turn starts and ends at most once, in this order', () => {
    fc.assert(
      fc.property(names, (played) => {
        let tracker = idleTracker;
        let waiting = 0;
        let begun = 0;
        for (const name of played) {
          if (name === 'SEND') {
            // The session sends the next prompt only after the end of the previous one.
            if (tracker.turn !== undefined) continue;
            tracker = promptWritten(tracker, 'turn', US);
            begun = 0;
            continue;
          }
          const step = track(tracker, message(name));
          const open = tracker.turn !== undefined;
          const undecided = [tracker, step.tracker].map(({ phase }) => phase === 'undecided');
          expect(step.undecidedTo !== undefined).toBe(undecided[0] && !undecided[1]);
          if (step.undecidedTo) waiting = 0;
          if (step.to === 'undecided') waiting += 1;
          expect(step.tracker.phase === 'undecided' || waiting === 0).toBe(true);
          if (step.to === 'turn' || step.to === 'echo') expect(open).toBe(true);
          if (step.began) begun += 1;
          expect(begun).toBeLessThanOrEqual(1);
          if (step.ended) {
            expect(open).toBe(true);
            // A turn ends without a result only if the CLI returns the prompt.
            if (name.startsWith('result')) expect(begun).toBe(1);
            else expect(name).toMatch(/completed|cancelled/);
            expect(step.tracker.turn).toBeUndefined();
          } else {
            expect(step.tracker.turn).toBe(tracker.turn);
          }
          tracker = step.tracker;
        }
      }),
    );
  });

  it('[S-3] have the destination of their neighbours if they decide nothing', () => {
    fc.assert(
      fc.property(names, (played) => {
        const { tracker } = play(played);
        const { phase, turn } = tracker;
        const outside = turn === undefined || phase === 'other' ? 'background' : 'turn';
        expect(track(tracker, message('answer'))).toEqual({
          tracker,
          to: phase === 'undecided' ? 'undecided' : outside,
          undecidedTo: undefined,
          began: false,
          ended: false,
        });
      }),
    );
  });

  it('[S-3] always end a turn if they are a result that names it', () => {
    fc.assert(
      fc.property(names, (played) => {
        const { tracker } = play([...played, 'SEND']);
        expect(track(tracker, message('result of ours'))).toMatchObject({ to: 'turn', ended: true });
      }),
    );
  });

  it('[S-3, W-6] are tracked without an exception, whatever they contain', () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const frame = fc.record(
      {
        type: fc.constantFrom('system', 'user', 'result', 'command_lifecycle', 'assistant'),
        subtype: fc.oneof(fc.constantFrom('init', 'task_started', 'task_notification'), value),
        state: fc.oneof(fc.constant('started'), value),
        uuid: value,
        command_uuid: value,
        task_id: value,
        user_message_uuids: value,
        user_message_uuid: value,
        origin: value,
        isReplay: value,
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(frame), (frames) => {
        let tracker = promptWritten(idleTracker, 'turn', US);
        for (const any of frames) tracker = track(tracker, any as unknown as Message).tracker;
        expect(tracker.tasks.open.keys().every((task) => typeof task === 'string')).toBe(true);
      }),
    );
  });
});
