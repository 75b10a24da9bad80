import { stat } from 'node:fs/promises';
import { openRehearsals, type Source } from '@coxswain/inspector';
import { OptionsError } from 'coxswain/errors';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { type FleetFlags, openFleetOf } from '../fleet/open.ts';
import { paintFor, printNotice, type Terminal } from '../terminal/terminal.ts';
import { attach, listPrograms } from './attach.ts';
import { startDemo } from './demo.ts';
import { openInBrowser } from './open-in-browser.ts';
import { openInspector } from './open-inspector.ts';

/** The flags of `cox ui`. */
export interface UiFlags {
  readonly port?: number;
  readonly host?: string;
  readonly allowedHost?: readonly string[];
  readonly token?: string;
  readonly basePath?: string;
  readonly readOnly?: boolean;
  readonly cwd?: string;
  readonly disk?: boolean;
  readonly demo?: boolean;
  readonly fleet?: string | true;
  readonly schema?: string;
  readonly attach?: string | true;
  readonly list?: boolean;
  readonly open?: boolean;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** `cox ui`: shows conversations in a browser until it is interrupted. */
export async function ui(files: readonly string[], flags: UiFlags, terminal: Terminal): Promise<ExitCode> {
  if (flags.list) return listPrograms(flags, terminal);
  if (flags.attach !== undefined) return attach(flags.attach, flags, terminal);
  if (flags.schema !== undefined && flags.fleet === undefined) throw new UsageError('--schema needs --fleet.');
  if (flags.cwd !== undefined) await checkFolder(flags.cwd);
  await using demo = flags.demo ? await startDemo() : undefined;
  await using fleet =
    flags.fleet === undefined ? undefined : await openFleetOf(fleetFlags(flags.fleet, flags.schema), { create: false });
  const isReport = (file: string): boolean => file.endsWith('.json');
  const recordings = files.filter((file) => !isReport(file));
  const targets = [...(demo ? [demo.client] : []), ...(fleet ? [fleet] : [])];
  await using inspector = await openInspector(targets, {
    ...(flags.host !== undefined && { host: flags.host }),
    ...(flags.allowedHost && { allowedHosts: flags.allowedHost }),
    ...(flags.basePath !== undefined && { basePath: flags.basePath }),
    token: flags.token ?? terminal.env.COX_UI_TOKEN,
    readOnly: flags.readOnly === true,
    demo: flags.demo === true,
    // Conversations on disk are not shown beside recordings, a fleet or the demo.
    disk: flags.disk !== false && files.length === 0 && targets.length === 0 && { cwd: flags.cwd },
    recordings,
    sources: await rehearsalsIn(files.filter(isReport)),
    port: flags.port,
    programs: true,
    announce: false,
  });
  demo?.begin();
  if (flags.json) terminal.stdout.write(`${JSON.stringify({ url: inspector.url, port: inspector.port })}\n`);
  else terminal.stdout.write(`${inspector.url}\n`);
  const paint = paintFor(terminal.stderr, terminal.env, flags.color);
  if (!flags.json) printNotice(terminal, paint.dim('Open this address in a browser. Ctrl-C stops the inspector.'));
  const opened = flags.open ? await openInBrowser(inspector.url) : undefined;
  await interrupted();
  await opened?.remove();
  return EXIT.ok;
}

/** The reports of `cox rehearse --json`. @throws UsageError */
async function rehearsalsIn(files: readonly string[]): Promise<readonly Source[]> {
  if (files.length === 0) return [];
  try {
    return [await openRehearsals(files)];
  } catch (error) {
    throw error instanceof OptionsError
      ? new UsageError(error.problems.map(({ message }) => message).join('\n'))
      : error;
  }
}

/** @throws UsageError */
async function checkFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`--cwd: there is no folder ${path}.`);
}

function fleetFlags(database: string | true, schema: string | undefined): FleetFlags {
  return { ...(database !== true && { database }), ...(schema !== undefined && { schema }) };
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
    process.once('SIGHUP', resolve);
  });
}
