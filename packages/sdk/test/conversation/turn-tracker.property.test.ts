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

/** A frame, and who it is from as the CLI knows. */
interface Told {
  readonly frame: object;
  readonly to: Exclude<Destination, 'undecided'>;
  readonly ended?: true;
}

type Step = { readonly send: string } | Told;

/** What happens in a turn between its beginning and its result. */
const middle = fc.array(
  fc.constantFrom({ type: 'assistant' }, { type: 'user', message: {} }, { type: 'stream_event' }, { type: 'news' }),
  { maxLength: 4 },
);

/** A turn of ours as 2.1.325 plays it: with its uuid in the frames that decide. */
const ours = fc.record({ kind: fc.constant('ours' as const), middle, echoes: fc.boolean(), lifecycle: fc.boolean() });
/** A turn that the CLI begins by itself when a task is over, while no prompt was sent. */
const own = fc.record({ kind: fc.constant('own' as const), middle });
/** The same, begun just as our next prompt was on its way: it comes first. */
const crossing = fc.record({ kind: fc.constant('crossing' as const), middle, ours });

const life = fc.array(fc.oneof(ours, own, crossing), { maxLength: 12 });

describe('turns of a CLI whose frames say whose they are', () => {
  it('[S-3] every frame reaches its owner, also those that were undecided for a while, and every turn ends once', () => {
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

/** A task is reported as over, and the CLI deals with it in a turn of its own. */
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
