import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { contentOfBytes } from '../../src/cassette/content.ts';
import { type CassetteEntry, encodeCassetteLine } from '../../src/cassette/format.ts';
import { LineSplitter } from '../../src/cassette/line-splitter.ts';
import {
  type AgentStep,
  type ContractAgent,
  floodLine,
  inputLine,
  replaying,
  type TransportBench,
  transportContract,
} from '../../src/index.ts';
import { printedBy } from '../../src/transport-contract/agent.ts';
import { temporaryFolder } from '../cassette/temporary-folder.ts';

const REQUEST = { argv: ['claude'], env: {}, cwd: undefined, privateFiles: [] };

const bench: TransportBench = {
  open: (agent) => ({ transport: replaying(cassetteOf(agent), { match: 'loose' })(), request: REQUEST }),
  failing: () => ({ transport: replaying('/no/such/cassette')(), request: REQUEST }),
  // A recording contains neither, and a replay accepts every write immediately.
  cannot: ['see-start', 'ignore-signals', 'full-input'],
  holdsBytes: 1024 * 1024,
};

describe('a played cassette', () => {
  for (const { name, run } of transportContract(bench)) it(`[A-1, K-3] ${name}`, run);
});

/** The cassette that recording this agent would produce. */
function cassetteOf({ steps }: ContractAgent): string {
  const file = join(temporaryFolder(), 'agent.ndjson');
  const header = {
    coxswainCassette: 1,
    run: 1,
    cliVersion: null,
    recordedAt: '',
    argv: ['claude'],
    mode: 'session',
  } as const;
  const entries = steps.flatMap(entriesOf);
  if (entries.at(-1)?.dir !== 'exit')
    entries.push({ at: 0, dir: 'exit', exitCode: 0, signal: null, ended: 'by-itself' });
  writeFileSync(file, [header, ...entries, { dir: 'end', runs: 1 } as const].map(encodeCassetteLine).join(''));
  return file;
}

function entriesOf(step: AgentStep): CassetteEntry[] {
  if ('print' in step) return printed('out', printedBy(step));
  if ('complain' in step) return printed('err', Buffer.from(step.complain));
  if ('flood' in step)
    return Array.from({ length: step.flood }, (_, n) => ({ at: 0, dir: 'out', text: floodLine(n).trimEnd() }));
  if ('expect' in step) return [{ at: 0, dir: 'in', frame: JSON.parse(inputLine(step.expect)) }];
  if ('expectEnd' in step) return [{ at: 0, dir: 'in-end' }];
  if ('hang' in step) return [{ at: 0, dir: 'signal', signal: 'kill' }];
  if ('exit' in step) return [{ at: 0, dir: 'exit', exitCode: step.exit, signal: null, ended: 'by-itself' }];
  throw new Error(`A recording cannot ${JSON.stringify(step)}.`);
}

function printed(dir: 'out' | 'err', bytes: Uint8Array): CassetteEntry[] {
  const splitter = new LineSplitter(bytes.length);
  const content = (line: Uint8Array) => contentOfBytes(line, (text) => text);
  const lines = splitter.push(bytes).map((line): CassetteEntry => ({ at: 0, dir, ...content(line) }));
  const rest = splitter.end();
  return rest ? [...lines, { at: 0, dir, open: true, ...content(rest) }] : lines;
}
