import { Buffer } from 'node:buffer';
import { type AgentStep, floodLine, inputLine, printedBy } from './agent.ts';
import type { Rule } from './rule.ts';
import { agent, must, type Stage } from './stage.ts';

/** Text and bytes that are not text, a line of 1 MiB, and a last line without its line feed. */
const PRINTED: readonly Extract<AgentStep, { print: unknown }>[] = [
  { print: 'contract: one\ncontract: é☃😀\r\ncontract: not UTF-8 ' },
  { print: Uint8Array.of(0x00, 0xff, 0xfe, 0xc3, 0x0a) },
  { print: 'contract: ' },
  { print: 'long é ', times: 150_000 },
  { print: '\ncontract: the last line has no line feed' },
];
const BYTES: Buffer = Buffer.concat(PRINTED.map(printedBy));

/** More than the buffer of a transport plus the capacity of a pipe. */
const linesBeyond = (holdsBytes: number): number => Math.ceil((2 * holdsBytes) / 1_024) + 2_048;

/** Time to wait for a transport that reads without a limit. */
const READ_AHEAD_MS = 300;

/** Rules about the output of a transport. */
export const outputRules: readonly Rule[] = [
  {
    name: 'output: stdout delivers every byte once, in order and unchanged, and then ends',
    agent: agent(...PRINTED, { exit: 0 }),
    async check(stage) {
      await stage.start();
      sameBytes(await stage.readAll(), BYTES);
      const after = await stage.next();
      must(after.done === true, 'output continues after its end');
    },
  },
  {
    name: 'output: stdout and stderr are separate',
    agent: agent(
      { complain: 'contract: oh\n' },
      { print: 'contract: fine\n' },
      { complain: 'contract: dear\n' },
      { exit: 0 },
    ),
    async check(stage) {
      await stage.start();
      const [output, errors] = await Promise.all([stage.readAll(), stage.readErrors()]);
      sameBytes(output, Buffer.from('contract: fine\n'));
      sameBytes(errors, Buffer.from('contract: oh\ncontract: dear\n'));
    },
  },
  {
    name: 'output: printed output is delivered without waiting for more',
    agent: agent({ print: 'contract: first' }, { expect: 'go on' }, { print: ' and second\n' }, { exit: 0 }),
    async check(stage) {
      await stage.start();
      await stage.readUntil('contract: first');
      await stage.within('write()', stage.transport.write(inputLine('go on')));
      await stage.readUntil('and second');
    },
  },
  {
    name: 'output: an agent without a reader waits, and nothing is lost',
    agent: (holdsBytes) => agent({ flood: linesBeyond(holdsBytes) }, { exit: 0 }),
    async check(stage) {
      await stage.start();
      await stage.readUntil('contract: 00000000');
      const done = await raceWithin(stage, READ_AHEAD_MS);
      must(!done, 'The agent could write everything without a reader: the transport buffers without bound');
      const lines = (await stage.readAll()).toString('latin1').split('\n').slice(0, -1);
      lines.forEach((line, n) => {
        must(`${line}\n` === floodLine(n), `Line ${n} of the flood is missing, doubled or damaged`);
      });
      must((await stage.exited()).exitCode === 0, 'The agent did not end well');
    },
  },
  {
    name: 'output: everything can still be read after the agent has exited',
    agent: agent({ print: 'contract: early\n' }, { complain: 'contract: sorry\n' }, { exit: 0 }),
    async check(stage) {
      await stage.start();
      await stage.exited();
      sameBytes(await stage.readAll(), Buffer.from('contract: early\n'));
      sameBytes(await stage.readErrors(), Buffer.from('contract: sorry\n'));
    },
  },
  {
    name: 'output: stopping the iteration ends a pending read, and later reads return the end',
    agent: agent({ print: 'contract: ready\n' }, { hang: true }),
    async check(stage) {
      await stage.start();
      await stage.readUntil('contract: ready');
      const waiting = untilDone(stage);
      await stage.leave();
      await stage.within('a read that waited when the iteration was left', waiting);
      const after = await stage.next();
      must(after.done === true, 'output continues after its iteration was left');
      stage.transport.signal('kill');
      await stage.exited();
    },
  },
  {
    name: 'output: the agent can be ended after the iteration of a flood was stopped',
    agent: (holdsBytes) => agent({ flood: linesBeyond(holdsBytes) }, { hang: true }),
    async check(stage) {
      await stage.start();
      await stage.next();
      await stage.leave();
      stage.transport.signal('kill');
      await stage.exited();
    },
  },
];

/** True if the agent exits in time. */
async function raceWithin(stage: Stage, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([stage.transport.exited.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** Waits for the agent. A scripted agent may have more output, for which the next read waits. */
async function untilDone(stage: Stage): Promise<void> {
  while (!(await stage.pull()).done);
}

function sameBytes(actual: Buffer, expected: Buffer): void {
  if (actual.equals(expected)) return;
  const at = expected.findIndex((byte, index) => actual[index] !== byte);
  const where = at === -1 ? expected.length : at;
  const shown = (bytes: Buffer): string => JSON.stringify(bytes.subarray(where, where + 40).toString('latin1'));
  must(
    false,
    `The bytes differ at ${where} of ${expected.length} (got ${actual.length}): ${shown(actual)} instead of ${shown(expected)}`,
  );
}
