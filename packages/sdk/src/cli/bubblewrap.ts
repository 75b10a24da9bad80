import { delimiter, isAbsolute, join } from 'node:path';
import { reasonOf } from '../errors/base.ts';
import { checking } from '../errors/options.ts';
import { IsolationUnavailableError } from '../errors/start.ts';
import { isolateCheck, isolationIn } from '../options/isolate.ts';
import type { AgentOptions, IsolateOptions } from '../options/option-types.ts';
import { type Bubblewrap, namespacesFor, probeLine } from './bubblewrap-line.ts';
import { examine } from './candidate.ts';
import { runProgram } from './run-program.ts';

/**
 * Checks that a run with this `isolate` can be isolated, as its start does, and returns the path of bubblewrap.
 * @throws OptionsError, IsolationUnavailableError
 */
export async function checkIsolation(
  isolate: NonNullable<AgentOptions['isolate']> = 'bubblewrap',
): Promise<{ readonly program: string }> {
  checking((report) => isolateCheck(isolate, 'isolate', report));
  if (process.platform !== 'linux') throw new IsolationUnavailableError('bubblewrap needs Linux');
  const { program } = await workingBubblewrap(isolationIn({ isolate }) ?? {}, false);
  return { program };
}

/** A bubblewrap that can start a program in the namespaces of this isolation. @throws IsolationUnavailableError */
export async function workingBubblewrap(isolate: IsolateOptions, nests: boolean): Promise<Bubblewrap> {
  const program = isolate.program ?? inPath(process.env.PATH);
  const candidates = namespacesFor(isolate, nests).map((namespaces) => ({ program, namespaces }));
  const key = JSON.stringify(candidates);
  const known = working.get(key);
  if (known) return known;
  let failure: unknown;
  for (const bubblewrap of candidates) {
    try {
      await requireWorking(probeLine(bubblewrap));
      working.set(key, bubblewrap);
      return bubblewrap;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** What has worked in this process. */
const working = new Map<string, Bubblewrap>();

/** @throws IsolationUnavailableError */
function inPath(path = ''): string {
  // A relative entry means the working directory, which may contain untrusted files.
  for (const folder of path.split(delimiter).filter((entry) => isAbsolute(entry))) {
    const found = examine(join(folder, 'bwrap'), process.platform);
    if (typeof found !== 'string') return found.path;
  }
  throw new IsolationUnavailableError('bubblewrap (bwrap) was not found in PATH');
}

/** @throws IsolationUnavailableError */
async function requireWorking(command: readonly string[]): Promise<void> {
  const [program = ''] = command;
  const options = { env: {}, cwd: '/', timeoutMs: PROBE_MS };
  const done = await runProgram(command, options, KEPT_BYTES).catch((error: unknown) => {
    throw new IsolationUnavailableError(`${program} ${reasonOf(error)}`);
  });
  if (done.exitCode !== 0) {
    const said = done.stderr.trim() || `exited with ${done.exitCode ?? done.signal}`;
    throw new IsolationUnavailableError(`${program}: ${said}`);
  }
}

const PROBE_MS = 10_000;
const KEPT_BYTES = 2_000;
