import { type Warning, warning } from '../warnings/warning.ts';
import { seesProcesses } from './process-table.ts';

let warned = false;

/** Warns, once per host, when what the CLI starts cannot be seen and so cannot all be ended. */
export function warnOfUnseenTrees(warn: (warning: Warning) => void): void {
  if (warned || seesProcesses()) return;
  warned = true;
  warn(
    warning(
      'process-tree-unseen',
      '/proc cannot be read, or belongs to another PID namespace. When a CLI has to be killed, only its own process group is; commands it runs in sessions of their own may go on. Mount /proc for this process.',
    ),
  );
}
