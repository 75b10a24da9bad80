import { reasonOf, systemCodeOf } from '../errors/base.ts';
import type { SpawnedProcess, SpawnFunction } from '../options/option-types.ts';
import { safely } from '../report/safely.ts';
import { isThenable } from '../timing/timers.ts';
import { adapterFailure, methodsMissing } from './adapter-failure.ts';

/** Calls a custom `spawn` and checks its return value. Kills an unusable process. @throws SpawnError, system errors */
export function givenProcess(spawn: SpawnFunction, ...call: Parameters<SpawnFunction>): SpawnedProcess {
  let given: unknown;
  try {
    given = spawn(...call);
  } catch (error) {
    // The system error describes the problem with the program or the working directory.
    if (systemCodeOf(error) !== '') throw error;
    throw adapterFailure('spawn', `failed: ${reasonOf(error)}`, error);
  }
  const problem = problemOf(given);
  // All used parts exist and have the right type.
  if (problem === undefined) return given as SpawnedProcess;
  discard(given);
  throw adapterFailure('spawn', `provided ${problem}`);
}

const PIPE = ['on', 'once', 'destroy'];
const STREAMS = {
  stdin: [...PIPE, 'write', 'end'],
  stdout: [...PIPE, 'off', 'pause', 'resume', 'isPaused'],
  stderr: [...PIPE, 'pause', 'resume', 'isPaused'],
};

function problemOf(given: unknown): string | undefined {
  const missing = methodsMissing(given, 'kill', 'on', 'once');
  if (missing !== undefined) return `${missing}, not a process`;
  const parts: Readonly<Record<string, unknown>> = Object(given);
  for (const [name, methods] of Object.entries(STREAMS)) {
    const problem = parts[name] == null ? undefined : methodsMissing(parts[name], ...methods);
    if (problem) return `a process whose ${name} is ${problem}, not a stream`;
  }
  const { pid } = parts;
  // A signal to one of these pids, or to its group, would end other processes.
  const usable = pid == null || (Number.isSafeInteger(pid) && Number(pid) > 1 && pid !== process.pid);
  return usable ? undefined : `a process whose pid is ${String(pid)}`;
}

/** Kills a started process, including one that a promise returns later, and ignores its errors. */
function discard(given: unknown): void {
  if (isThenable(given)) return void Promise.resolve(given).then(discard, () => {});
  const { on, kill }: Readonly<Record<string, unknown>> = Object(given);
  safely(() => typeof on === 'function' && Reflect.apply(on, given, ['error', () => {}]));
  safely(() => typeof kill === 'function' && Reflect.apply(kill, given, ['SIGKILL']));
}
