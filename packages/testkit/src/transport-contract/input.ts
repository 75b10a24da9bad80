import { inputLine } from './agent.ts';
import type { Rule } from './rule.ts';
import { agent, must } from './stage.ts';
import { typed } from './starting.ts';

const NUMBERS: readonly number[] = Array.from({ length: 20 }, (_, n) => n + 1);

/** More than the capacity of pipes and streams. */
const MUCH: string = 'x'.repeat(4 * 1024 * 1024);

/** Time after which a pending write counts as waiting. */
const TOO_SOON_MS = 200;

/** Rules about the input of a transport. */
export const inputRules: readonly Rule[] = [
  {
    name: 'input: written text arrives',
    agent: agent(
      { expect: 'one' },
      { print: 'contract: one\n' },
      { expect: 'two' },
      { print: 'contract: two\n' },
      { exit: 0 },
    ),
    async check(stage) {
      await stage.start();
      for (const word of ['one', 'two']) {
        await stage.within('write()', stage.transport.write(inputLine(word)));
        await stage.readUntil(`contract: ${word}`);
      }
    },
  },
  {
    name: 'input: unawaited writes arrive whole and in order',
    needs: 'lines-at-once',
    agent: agent(...NUMBERS.flatMap((n) => [{ expect: `line ${n}.` }, { print: `contract: got ${n}\n` }]), { exit: 0 }),
    async check(stage) {
      await stage.start();
      const { transport } = stage;
      const writes = NUMBERS.map((n) => transport.write(inputLine(`line ${n}.`)));
      await stage.within('write()', Promise.all(writes));
      const said = (await stage.readAll()).toString('utf8');
      must(said === NUMBERS.map((n) => `contract: got ${n}\n`).join(''), `The agent got ${JSON.stringify(said)}`);
    },
  },
  {
    name: 'input: a line of 4 MiB arrives',
    agent: agent({ expect: `${MUCH.slice(0, 9)} the end` }, { print: 'contract: got it\n' }, { exit: 0 }),
    async check(stage) {
      await stage.start();
      const [, said] = await Promise.all([
        stage.within('write()', stage.transport.write(inputLine(`${MUCH} the end`))),
        stage.readAll(),
      ]);
      must(said.toString('utf8') === 'contract: got it\n', 'The agent did not receive the line');
    },
  },
  {
    name: 'input: a write waits until it is read, and fails if the agent exits first',
    needs: 'full-input',
    agent: agent({ print: 'contract: ready\n' }, { hang: true }),
    async check(stage) {
      await stage.start();
      await stage.readUntil('contract: ready');
      const write = stage.transport.write(inputLine(MUCH));
      const settled = write.then(
        () => 'resolved',
        () => 'rejected',
      );
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'waits'>((resolve) => {
        timer = setTimeout(() => resolve('waits'), TOO_SOON_MS);
      });
      const state = await Promise.race([settled, late]).finally(() => clearTimeout(timer));
      must(state === 'waits', `A write of 4 MiB without a reader ${state} at once`);
      stage.transport.signal('kill');
      typed('A write that was cut off', await stage.rejection('a write that was cut off', () => write));
    },
  },
  {
    name: 'input: endInput() ends the input permanently',
    agent: agent({ print: 'contract: ready\n' }, { expectEnd: true }, { exit: 0 }),
    async check(stage) {
      await stage.start();
      await stage.readUntil('contract: ready');
      const { transport } = stage;
      await stage.within('endInput()', transport.endInput());
      typed('write()', await stage.rejection('write() after endInput()', () => transport.write(inputLine('late'))));
      await stage.within('a second endInput()', transport.endInput());
      const { exitCode } = await stage.exited();
      must(exitCode === 0, `The agent ended with ${exitCode}`);
    },
  },
  {
    name: 'input: a write to an agent that has exited is a typed error; endInput() does nothing',
    agent: agent({ exit: 0 }),
    async check(stage) {
      await stage.start();
      await stage.exited();
      const { transport } = stage;
      typed('write()', await stage.rejection('write() after the exit', () => transport.write(inputLine('late'))));
      await stage.within('endInput() after the exit', transport.endInput());
    },
  },
  {
    name: 'input: a write before the start is a typed error',
    agent: agent({ exit: 0 }),
    async check(stage) {
      const { transport } = stage;
      typed('write()', await stage.rejection('write() before start()', () => transport.write(inputLine('early'))));
    },
  },
];
