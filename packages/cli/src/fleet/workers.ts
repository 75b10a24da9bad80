import type { WorkerAgent } from '@coxswain/fleet';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { roughly } from './flag-values.ts';
import { type FleetFlags, withFleet } from './open.ts';
import { workerState } from './status.ts';
import { writeTable } from './write-table.ts';

/** `cox fleet workers`. */
export function workers(flags: FleetFlags & { readonly json?: boolean }, terminal: Terminal): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const found = await fleet.workers();
    if (flags.json) for (const worker of found) terminal.stdout.write(`${JSON.stringify(worker)}\n`);
    else {
      const now = Date.now();
      const rows = found.map((worker) => [
        worker.name,
        worker.host,
        `${worker.running}/${worker.slots}`,
        worker.agents.map(agentText).join(', '),
        workerState(worker),
        roughly(now - worker.startedAt),
      ]);
      writeTable(terminal, ['WORKER', 'HOST', 'TURNS', 'AGENTS', 'STATE', 'UP'], rows);
    }
    return EXIT.ok;
  });
}

/** `review 2 (CLI 2.1.327)` */
function agentText({ name, version, cli }: WorkerAgent): string {
  const agent = version === null ? name : `${name} ${version}`;
  return cli === null ? agent : `${agent} (CLI ${cli})`;
}
