import { isFinal, transition as live } from '../../packages/sdk/src/connection/state.ts';
import { idleTracker, promptWritten, track } from '../../packages/sdk/src/conversation/turn-tracker.ts';
import { classify } from '../../packages/sdk/src/query/classify.ts';
import { startMachine, transition } from '../../packages/sdk/src/query/stream-machine.ts';

/** The stream machine, the lifecycle and the turn tracker, fed with the same messages and checked at each step. */
export class Machines {
  #stream = startMachine({ waitForBackground: true, maxLateMessages: 3 });
  #tracker = idleTracker;
  /** @type {import('../../packages/sdk/src/connection/state.ts').LifecycleState} */
  #state = 'starting';
  #ready = 0;
  #fed = 0;
  #undecided = 0;

  /** @param {import('../../packages/sdk/src/wire/messages.ts').Message} message */
  message(message) {
    this.#fed += 1;
    this.#feedStream(classify(message));
    if (this.#fed % 97 === 0) this.#feedStream({ type: 'drain-timeout' });
    if (this.#fed % 199 === 0) this.#feedStream({ type: 'background-timeout' });
    if (this.#fed % 401 === 0)
      this.#feedStream({ type: 'exit', exitCode: this.#fed % 3, signal: null, outputSeen: true });
    if (this.#fed % 7 === 0 && this.#tracker.turn === undefined)
      this.#tracker = promptWritten(this.#tracker, 'turn', 'ours');
    this.#feedTracker(message);
    this.#feedLife();
  }

  /** @param {import('../../packages/sdk/src/query/stream-machine.ts').MachineEvent} event */
  #feedStream(event) {
    const before = Object.freeze(this.#stream);
    const { machine, emit } = transition(before, event);
    const ends = emit.filter((effect) => effect === 'end' || effect === 'fail-process').length;
    if (before.state === 'closed' && emit.length > 0) throw new Error('A closed stream emits something');
    if (ends > 1 || (ends === 1) !== (machine.state === 'closed' && before.state !== 'closed'))
      throw new Error(`A stream ends ${ends} times on its way from ${before.state} to ${machine.state}`);
    if (machine.state !== 'streaming' && machine.state !== 'closed' && machine.failed === undefined)
      throw new Error('A stream reports a result that never came');
    // A run that has ended is followed by the next.
    this.#stream =
      machine.state === 'closed'
        ? startMachine({ waitForBackground: this.#fed % 2 === 0, maxLateMessages: 3 })
        : machine;
  }

  /** @param {import('../../packages/sdk/src/wire/messages.ts').Message} message */
  #feedTracker(message) {
    const before = this.#tracker;
    const step = track(before, message);
    const [was, is] = [before, step.tracker].map(({ phase }) => phase === 'undecided');
    if ((step.undecidedTo !== undefined) !== (was && !is))
      throw new Error('Undecided frames were dropped, or decided ones were delivered twice');
    if (step.undecidedTo) this.#undecided = 0;
    if (step.to === 'undecided') this.#undecided += 1;
    if (!is && this.#undecided > 0) throw new Error('Undecided frames were forgotten');
    if ((step.to === 'turn' || step.to === 'echo') && before.turn === undefined)
      throw new Error('A frame went to a turn that was never sent');
    if (step.ended !== true && step.tracker.turn !== before.turn) throw new Error('A turn disappeared without an end');
    if (step.ended && message.type !== 'result' && message.type !== 'command_lifecycle')
      throw new Error('A turn ended without a result, and its prompt was not returned');
    this.#tracker = step.tracker;
  }

  #feedLife() {
    const before = this.#state;
    const event = EVENTS[(this.#fed * 31 + (this.#fed >> 3)) % EVENTS.length] ?? 'stop';
    const state = live(before, event);
    if (state === 'running' && before !== 'running') this.#ready += 1;
    if (this.#ready > 1) throw new Error('A session was ready twice');
    if (isFinal(before) && state !== before) throw new Error('A session went on after its end');
    this.#state = state;
    if (isFinal(state) && this.#fed % 5 === 0) {
      this.#state = 'starting';
      this.#ready = 0;
    }
  }
}

/** @type {readonly import('../../packages/sdk/src/connection/state.ts').LifecycleEvent[]} */
const EVENTS = [
  'handshake-sent',
  'handshake-answered',
  'handshake-sent',
  'handshake-answered',
  'failure',
  'stop',
  'idle-exit',
  'exit',
];
