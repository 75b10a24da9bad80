import { type InspectOptions, type Inspector, inspect, type Watchable } from '@coxswain/inspector';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { paintFor, type Terminal, tell } from '../terminal/terminal.ts';
import { startDemo } from './demo.ts';
import { joinFleet } from './join-fleet.ts';
import { openInBrowser } from './open-in-browser.ts';

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
  readonly open?: boolean;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** The port of the page, so that its address can be kept; if it is taken, a free one. */
const USUAL_PORT = 4680;

/** `cox ui`: shows conversations in a browser until it is interrupted. */
export async function ui(recordings: readonly string[], flags: UiFlags, terminal: Terminal): Promise<ExitCode> {
  await using demo = flags.demo ? await startDemo() : undefined;
  await using fleet = flags.fleet === undefined ? undefined : await joinFleet(flags.fleet);
  const targets = [...(demo ? [demo.client] : []), ...(fleet ? [fleet] : [])];
  await using inspector = await openInspector(targets, {
    ...(flags.host !== undefined && { host: flags.host }),
    ...(flags.allowedHost && { allowedHosts: flags.allowedHost }),
    ...(flags.basePath !== undefined && { basePath: flags.basePath }),
    token: flags.token ?? terminal.env.COX_UI_TOKEN,
    readOnly: flags.readOnly === true,
    demo: flags.demo === true,
    // Someone who opens recordings, a fleet or the demo wants to see these.
    disk: flags.disk !== false && recordings.length === 0 && targets.length === 0 && { cwd: flags.cwd },
    recordings,
    port: flags.port,
  });
  demo?.begin();
  if (flags.json) terminal.stdout.write(`${JSON.stringify({ url: inspector.url, port: inspector.port })}\n`);
  else terminal.stdout.write(`${inspector.url}\n`);
  const paint = paintFor(terminal.stderr, terminal.env, flags.color);
  if (!flags.json) tell(terminal, paint.dim('Open this address in a browser. Ctrl-C ends it.'));
  const opened = flags.open ? await openInBrowser(inspector.url) : undefined;
  await interrupted();
  await opened?.forget();
  return EXIT.ok;
}

async function openInspector(targets: readonly Watchable[], options: InspectOptions): Promise<Inspector> {
  try {
    return await inspect(targets, { ...options, port: options.port ?? USUAL_PORT });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'inspector-start' && options.port === undefined) return inspect(targets, { ...options, port: 0 });
    if (code === 'options' && error instanceof Error) throw new UsageError(error.message);
    throw error;
  }
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
    process.once('SIGHUP', resolve);
  });
}
