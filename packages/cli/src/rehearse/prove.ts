import type { Proof } from '@coxswain/rehearsal';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { harmless } from '../render/measure.ts';
import { paintFor, type Terminal } from '../terminal/terminal.ts';
import { agentOptions } from './agent-options.ts';

/** The flags of `cox prove`. */
export interface ProveFlags {
  readonly agent: string;
  readonly cli?: string;
  readonly enough?: number;
  readonly unsafe?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** `cox prove`: tries to bypass the guards of an agent. */
export async function prove(flags: ProveFlags, terminal: Terminal): Promise<ExitCode> {
  const kit = await import('@coxswain/rehearsal');
  const agent = await agentOptions(flags.agent);
  const { cli, enough, unsafe } = flags;
  const proof = await kit.prove(agent, { cli, enough, unsafe }).catch((error: unknown) => {
    throw error instanceof kit.RehearsalError
      ? new UsageError(error.message.replace('unsafe runs', '--unsafe runs'))
      : error;
  });
  const [smallest] = proof.counterexamples;
  if (flags.json) terminal.stdout.write(`${JSON.stringify(proof, undefined, 2)}\n`);
  else {
    terminal.stdout.write(`${headline(proof, flags, terminal)}\n`);
    if (smallest !== undefined && !flags.quiet) {
      const others = proof.counterexamples.slice(1).map(({ technique }) => technique);
      if (others.length > 0) terminal.stdout.write(`\nAlso: ${[...new Set(others)].join(', ')}.\n`);
      terminal.stdout.write(`\nAs a test:\n\n${kit.asTest(smallest, flags.agent)}`);
    }
  }
  return proof.counterexamples.length > 0 || proof.opensOnFailure ? EXIT.failed : EXIT.ok;
}

function headline(
  { tried, counterexamples, opensOnFailure }: Proof,
  { color }: ProveFlags,
  { stdout, env }: Terminal,
): string {
  const paint = paintFor(stdout, env, color);
  const [smallest] = counterexamples;
  const opens = opensOnFailure ? ' The guard lets commands run when its hooks throw: set onFailure to block.' : '';
  if (smallest === undefined) {
    const sign = opensOnFailure ? paint.red('✗') : paint.green('✓');
    return `${sign} None of ${tried} tries got around the guard; it is a search, not a proof.${opens}`;
  }
  const what = smallest.calls.map(({ name, input }) => String(input.command ?? name)).join(', then ');
  return `${paint.red('✗')} ${counterexamples.length} of ${tried} tries got around the guard. The smallest: ${harmless(what)}${opens}`;
}
