import type { AgentRelease } from '@coxswain/fleet';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { printNotice, type Terminal } from '../terminal/terminal.ts';
import { roughly, shortly, userName } from './flag-values.ts';
import { type FleetFlags, withFleet } from './open.ts';
import { writeTable } from './write-table.ts';

export interface ReleaseFlags extends FleetFlags {
  readonly agentVersion?: string;
  readonly cli?: string;
  readonly share?: number;
  readonly whenNone?: 'wait' | 'any';
  readonly by?: string;
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** `cox fleet release`: sets or removes the staged release of an agent, or lists all. @throws UsageError */
export async function release(
  agent: string | undefined,
  { agentVersion: version, cli, share, whenNone, by, remove = false, json = false, ...flags }: ReleaseFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const isSet = [version, cli, share, whenNone].some((value) => value !== undefined);
  if (isSet && remove) throw new UsageError('--remove removes the release: omit the other flags.');
  if (agent === undefined && (isSet || remove)) throw new UsageError('Specify the agent: cox fleet release <agent> …');
  return withFleet(flags, async (fleet) => {
    const all = await fleet.releases();
    const before = all.find((one) => one.agent === agent);
    if (agent === undefined || !(isSet || remove)) {
      show(agent === undefined ? all : all.filter((one) => one.agent === agent), json, terminal);
      return EXIT.ok;
    }
    if (remove && before === undefined) {
      printNotice(terminal, `${shortly(agent)} has no staged release to remove.`);
      return EXIT.failed;
    }
    if (share === undefined && before === undefined)
      throw new UsageError('Specify the share of the conversations: --share 0.1.');
    // `--share 0.5` alone changes the share of the release that is set.
    const isSame = version === undefined && cli === undefined;
    const which = isSame ? { version: before?.version ?? undefined, cli: before?.cli ?? undefined } : { version, cli };
    const terms = { ...which, share: share ?? before?.share ?? 0, whenNone: whenNone ?? before?.whenNone };
    await fleet.setRelease(agent, remove ? null : { ...terms, by: by ?? userName() });
    printNotice(
      terminal,
      remove ? `The release of ${agent} was removed: any worker runs its turns.` : `The release of ${agent} is set.`,
    );
    return EXIT.ok;
  });
}

function show(found: readonly AgentRelease[], json: boolean, terminal: Terminal): void {
  if (json) for (const one of found) terminal.stdout.write(`${JSON.stringify(one)}\n`);
  else {
    const rows = found.map(({ agent, version, cli, share, whenNone, by, updatedAt }) => [
      agent,
      [version ?? '', cli === null ? '' : `CLI ${cli}`].filter((part) => part !== '').join(', '),
      `${Math.round(share * 1_000) / 10} %`,
      whenNone,
      `${roughly(Date.now() - updatedAt)} ago${by === null ? '' : ` by ${by}`}`,
    ]);
    writeTable(terminal, ['AGENT', 'RELEASE', 'SHARE', 'WHEN NONE', 'SET'], rows);
  }
}
