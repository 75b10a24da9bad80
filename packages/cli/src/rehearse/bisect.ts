import type { Bisection } from '@coxswain/rehearsal';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The flags of `cox bisect`. */
export interface BisectFlags {
  /** `2.1.60..2.1.120` */
  readonly cli: string;
  readonly when: string;
  readonly samples?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `cox bisect`: the releases with which a condition about the first request becomes true or false. */
export async function bisect(flags: BisectFlags, terminal: Terminal): Promise<ExitCode> {
  const [, from, to] = /^(\d+\.\d+\.\d+)\.\.(\d+\.\d+\.\d+)$/.exec(flags.cli) ?? [];
  if (from === undefined || to === undefined) {
    throw new UsageError(`"${flags.cli}" is not a range of releases; write one such as 2.1.60..2.1.120.`);
  }
  const kit = await import('@coxswain/rehearsal');
  const bisection = await usage(kit.RehearsalError, async () =>
    kit.bisect({
      from,
      to,
      when: kit.parseCondition(flags.when),
      maxSamples: flags.samples,
      onProgress: (text) => void (flags.quiet || terminal.stderr.write(`${text}\n`)),
    }),
  );
  terminal.stdout.write(flags.json ? `${JSON.stringify(bisection, undefined, 2)}\n` : report(bisection));
  return bisection.changes.length > 0 ? EXIT.failed : EXIT.ok;
}

/** The exit code 2 means that something could not run. */
async function usage<T>(kind: new (...args: never[]) => Error, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof kind ? new UsageError(error.message) : error;
  }
}

function report({ probed, changes, skipped }: Bisection): string {
  const found = changes.map(
    ({ before, first, holds }) => `${first} is the first release for which it is ${holds} (${before}: ${!holds})`,
  );
  const [first, last] = [probed[0], probed.at(-1)];
  const none = `It is ${first?.holds} for each of the ${probed.length} releases that were probed, from ${first?.release} to ${last?.release}.`;
  const left = skipped.map(({ release, reason }) => `not probed: ${release}: ${reason}`);
  const how = `One prompt was sent with ${probed.length} releases; hooks and permissions need a session, and were not observed.`;
  return [...(found.length > 0 ? found : [none]), ...left, how, ''].join('\n');
}
