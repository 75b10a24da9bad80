import { childTransport } from 'coxswain/transport';
import { describe, it } from 'vitest';
import { agentRequest, type TransportBench, transportContract } from '../../src/index.ts';
import { temporaryFolder } from '../cassette/temporary-folder.ts';

const bench: TransportBench = {
  open: (agent) => ({
    transport: childTransport({ orphanGuard: false, bufferBytes: 1024 * 1024 }),
    request: agentRequest(agent, { cwd: temporaryFolder() }),
  }),
  failing: () => ({
    transport: childTransport({ orphanGuard: false }),
    request: { argv: ['/no/such/program'], env: {}, cwd: undefined, privateFiles: [] },
  }),
  holdsBytes: 1024 * 1024,
};

describe('a child process', () => {
  for (const { name, run } of transportContract(bench)) it(`[A-1] ${name}`, run);
});
