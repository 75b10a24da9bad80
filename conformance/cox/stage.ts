import { type ApiScript, type FakeApi, startFakeApi } from '@coxswain/testkit';
import { type CoxOptions, type Finished, runCox } from '../../packages/cli/test/run-cox.ts';
import { cox, inTerminal, type TerminalRun } from '../../packages/cli/test/terminal/pty.ts';
import { type IsolatedHome, isolatedHome } from '../harness/isolated-home.ts';
import { processesOf } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** The built command on the real CLI, with a fake API and an isolated home. */
export interface CoxStage extends AsyncDisposable {
  readonly api: FakeApi;
  readonly home: IsolatedHome;
  /** Runs in pipes, in the project. */
  run(args: readonly string[], options?: CoxOptions): Promise<Finished>;
  /** Runs in a terminal, in the project. */
  inTerminal(...args: string[]): TerminalRun;
}

/** Creates a stage; its disposal fails if a process has outlived the commands. */
export async function coxStage(script: ApiScript): Promise<CoxStage> {
  const api = await startFakeApi(script);
  const home = await isolatedHome(api.url);
  const env = home.env({ COXSWAIN_CLI: realCli() });
  return {
    api,
    home,
    run: (args, options = {}) =>
      runCox(args, { cwd: home.project, timeoutMs: 55_000, ...options, env: { ...env, ...options.env } }),
    inTerminal: (...args) => inTerminal(cox(...args), { cwd: home.project, env }),
    async [Symbol.asyncDispose]() {
      await waitUntil(() => processesOf(home.root).length === 0, { timeoutMs: 5_000 });
      await api.close();
      await home[Symbol.asyncDispose]();
    },
  };
}
