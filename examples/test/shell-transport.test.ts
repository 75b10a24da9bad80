// #region contract
import { tmpdir } from 'node:os';
import { agentRequest, transportContract } from '@coxswain/testkit';
import { describe, it } from 'vitest';
import { localShell, ShellTransport } from '../shell-transport.ts';

const rules = transportContract({
  open: (agent) => ({
    transport: new ShellTransport(localShell, process.execPath),
    request: agentRequest(agent, { cwd: tmpdir() }),
  }),
  failing: () => ({
    transport: new ShellTransport(() => ['/no/such/shell']),
    request: { argv: ['claude'], env: {}, cwd: undefined, privateFiles: [] },
  }),
});

describe('the shell transport', () => {
  for (const { name, run } of rules) it(`[A-1] ${name}`, run);
});
// #endregion
