import { statSync } from 'node:fs';
import { inspectCli, installedClis } from 'coxswain/cli';
import { demoAgent } from '../demo/agent.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { Screen } from '../terminal/screen.ts';
import { columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';
import { locationFinding, loginFinding, versionFinding } from './cli-checks.ts';
import { dropInFindings } from './drop-in-checks.ts';
import { networkFindings, nodeFinding } from './environment-checks.ts';
import { type Finding, skipped } from './finding.ts';
import { folderFindings } from './folder-checks.ts';
import { handshakeFinding } from './handshake.ts';
import { isolationFinding } from './isolation-check.ts';
import { loginOf } from './login.ts';
import { findingLines, verdict } from './report.ts';

/** The flags of `cox doctor`. */
export interface DoctorFlags {
  readonly cli?: string;
  readonly demo?: boolean;
  readonly dropIn?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
}

/** `cox doctor`: runs the checks one after the other, each with a next step. */
export async function doctor(flags: DoctorFlags, terminal: Terminal): Promise<ExitCode> {
  const paint = paintFor(terminal.stdout, terminal.env, flags.color);
  const screen = new Screen(terminal, { status: !flags.json && !flags.quiet });
  const findings: Finding[] = [];
  for await (const finding of examine(flags, terminal, (what) => screen.status(what))) {
    findings.push(finding);
    if (flags.json || (flags.quiet && finding.status === 'ok')) continue;
    const look = { paint, columns: columnsOf(terminal.stdout), verbose: flags.verbose === true };
    screen.writeLines(findingLines(finding, look).join('\n'));
  }
  screen.close();
  const works = !findings.some(({ status }) => status === 'failed');
  if (flags.json) screen.data(JSON.stringify({ ok: works, findings }));
  else if (!flags.quiet) screen.writeLines(`\n${verdict(findings, paint)}`);
  return works ? EXIT.ok : EXIT.failed;
}

async function* examine(
  flags: DoctorFlags,
  terminal: Terminal,
  busyWith: (what: string) => void,
): AsyncGenerator<Finding> {
  await using demo = flags.demo ? await demoCli() : undefined;
  const cli = demo?.path ?? flags.cli;
  yield nodeFinding(process.version);
  if (flags.dropIn) yield* await dropInFindings(process.cwd());
  busyWith('looking for Claude Code …');
  const inspection = await inspectCli({ cli });
  const copies = await installedClis({ env: terminal.env }).catch(() => []);
  yield locationFinding(
    inspection,
    copies.filter(({ intact }) => intact),
  );
  yield versionFinding(inspection);
  busyWith('checking the login …');
  yield loginFinding(inspection, demo ? undefined : await loginOf(inspection));
  busyWith('starting the CLI …');
  const isUsable = inspection.found !== undefined && inspection.supported !== 'no';
  yield isUsable ? await handshakeFinding(cli) : skipped('Handshake', 'no CLI was found');
  busyWith('');
  yield* await folderFindings(terminal.env);
  yield* networkFindings(terminal.env, isFile);
  yield await isolationFinding();
}

async function demoCli(): Promise<{ path: string } & AsyncDisposable> {
  const { scriptedCli } = await import('@coxswain/testkit');
  return await scriptedCli(demoAgent({ paceMs: 0 }));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
