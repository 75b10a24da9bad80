import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Destination,
  idleTracker,
  promptWritten,
  type TurnTracker,
  track,
} from '../../src/conversation/turn-tracker.ts';
import type { Message } from '../../src/wire/messages.ts';

/** A frame and its real owner, which only the CLI knows. */
interface Told {
  readonly frame: object;
  readonly to: Exclude<Destination, 'undecided'>;
  readonly ended?: true;
}

type Step = { readonly send: string } | Told;

/** The frames of a turn between its start and its result. */
const middle = fc.array(
  fc.constantFrom({ type: 'assistant' }, { type: 'user', message: {} }, { type: 'stream_event' }, { type: 'news' }),
  { maxLength: 4 },
);

/** A turn of a prompt in the format of 2.1.325: with its uuid in the deciding frames. */
const ours = fc.record({ kind: fc.constant('ours' as const), middle, echoes: fc.boolean(), lifecycle: fc.boolean() });
/** A turn that the CLI starts after the end of a task, while no prompt is sent. */
const own = fc.record({ kind: fc.constant('own' as const), middle });
/** A turn of the CLI that starts while the next prompt is being sent, and precedes it. */
const crossing = fc.record({ kind: fc.constant('crossing' as const), middle, ours });

const life = fc.array(fc.oneof(ours, own, crossing), { maxLength: 12 });

describe('turns of a CLI whose frames name their owner', () => {
  it('[S-3] deliver every frame to its owner, even frames that were undecided for a while, and end once', () => {
    fc.assert(
      fc.property(life, (turns) => {
        const steps = turns.flatMap(play);
        const arrived: Told[] = [];
        const waiting: object[] = [];
        let tracker: TurnTracker = idleTracker;
        for (const step of steps) {
          if ('send' in step) {
            tracker = promptWritten(tracker, 'turn', step.send);
            continue;
          }
          const { frame } = step;
          const { tracker: next, to, undecidedTo, ended } = track(tracker, frame as Message);
          if (undecidedTo) for (const held of waiting.splice(0)) arrived.push({ frame: held, to: undecidedTo });
          if (to === 'undecided') waiting.push(frame);
          else arrived.push({ frame, to, ...(ended && { ended }) });
          tracker = next;
        }
        expect(arrived).toEqual(steps.filter((step) => 'frame' in step));
        expect([waiting, tracker.turn]).toEqual([[], undefined]);
      }),
      { numRuns: 500 },
    );
  });
});

function play(turn: typeof life extends fc.Arbitrary<(infer T)[]> ? T : never, index: number): Step[] {
  const uuid = `prompt-${index}`;
  if (turn.kind === 'own') return ownTurn(turn.middle, index);
  if (turn.kind === 'ours') return [{ send: uuid }, ...ourTurn(turn, uuid)];
  const [notice, ...rest] = ownTurn(turn.middle, index);
  return [...(notice ? [notice] : []), { send: uuid }, ...rest, ...ourTurn(turn.ours, uuid)];
}

function ourTurn(turn: { middle: object[]; echoes: boolean; lifecycle: boolean }, uuid: string): Told[] {
  const init = { type: 'system', subtype: 'init', user_message_uuids: [uuid] };
  const result = { type: 'result', subtype: 'success', user_message_uuids: [uuid] };
  return [
    ...(turn.lifecycle ? [mine({ type: 'command_lifecycle', command_uuid: uuid, state: 'started' })] : []),
    mine(init),
    ...(turn.echoes ? [{ frame: { type: 'user', uuid, isReplay: true }, to: 'echo' as const }] : []),
    ...turn.middle.map(mine),
    { ...mine(result), ended: true },
  ];
}

/** The end of a task, and the turn of the CLI about it. */
function ownTurn(frames: readonly object[], index: number): Told[] {
  const origin = { kind: 'task-notification' };
  return [
    { type: 'system', subtype: 'task_notification', task_id: `task-${index}`, status: 'completed', output_file: '/o' },
    { type: 'system', subtype: 'init', user_message_uuids: [`task-${index}`] },
    ...frames,
    { type: 'result', subtype: 'success', origin, user_message_uuids: [`task-${index}`] },
  ].map((frame) => ({ frame, to: 'background' }));
}

function mine(frame: object): Told {
  return { frame, to: 'turn' };
}
