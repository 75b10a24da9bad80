import { randomBytes } from 'node:crypto';
import type { RunObserver } from 'coxswain/observe';
import { createRedactor, secretsIn } from 'coxswain/transport';
import type { Approval } from './api.ts';
import { checkOptions, checkTargets } from './check-options.ts';
import { Hub } from './conversations/hub.ts';
import { type InspectOptions, isLocalOnly } from './options.ts';
import { announce, announcementToken, programId } from './programs/announce.ts';
import { Pusher } from './push/pusher.ts';
import { Access } from './server/access.ts';
import { createApp } from './server/app.ts';
import { listen } from './server/listen.ts';
import { readPage } from './server/page-files.ts';
import { DiskSource } from './sources/disk/disk-source.ts';
import { FleetSource } from './sources/fleet/fleet-source.ts';
import { isFleet, type WatchableFleet } from './sources/fleet/watchable-fleet.ts';
import { ProcessSource } from './sources/process/process-source.ts';
import type { Observable } from './sources/process/watchable.ts';
import { openRecordings } from './sources/recording/recording-source.ts';
import type { Source } from './sources/source.ts';
import { VERSION } from './version.ts';

/** What can be inspected. */
export type Watchable = Observable | WatchableFleet;

/** An open inspector. */
export interface Inspector extends AsyncDisposable {
  /** The URL to open. The token is in its fragment, which browsers do not send. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** For the option `observers` of queries, sessions, pools and clients that were not passed to `inspect`. */
  readonly observer: RunObserver;
  /** Closes the server and the sessions that were opened from the page; sessions of the program continue. */
  close(): Promise<void>;
}

/**
 * Opens a page that shows agents and lets people control them.
 * @throws OptionsError; InspectorStartError if the server cannot listen on the address
 */
export async function inspect(
  target: Watchable | readonly Watchable[] = [],
  options: InspectOptions = {},
): Promise<Inspector> {
  checkOptions(options);
  // Array.isArray does not narrow a readonly array.
  const targets: readonly Watchable[] = Array.isArray(target) ? target : [target as Watchable];
  checkTargets(targets);
  const {
    host = '127.0.0.1',
    token = randomBytes(32).toString('base64url'),
    basePath = '',
    readOnly = false,
  } = options;
  const own = new ProcessSource(targets.flatMap((one) => (isFleet(one) ? [] : [one])));
  const sources = await sourcesOf(own, targets.filter(isFleet), options);
  const announced = options.announce === false ? undefined : announcementToken();
  const tokens = announced === undefined ? [token] : [token, announced];
  const redact = createRedactor(secretsOf(targets, [...(options.secrets ?? []), ...tokens]));
  const onError = (error: unknown): void => {
    try {
      options.onError?.(error);
    } catch {
      // An exception of the listener is ignored.
    }
  };
  const pusher = options.push === undefined ? undefined : await Pusher.open(options.push, onError);
  const onRequest = (approval: Approval): void => void pusher?.announce(approval);
  const hub = new Hub(sources, { redact, readOnly, onAudit: options.onAudit, onRequest });
  for (const source of sources) await source.start(hub);
  const closing = new AbortController();
  const server = await listen(host, options.port ?? 0, (port) => {
    const { hosts, origins } = namesOf(host, port, options.allowedHosts ?? []);
    const access = new Access({ hosts, origins, token, announced, auth: options.auth });
    const info = { version: VERSION, readOnly, demo: options.demo === true };
    const own = programId({ pid: process.pid, port });
    const programs = options.programs ? { own, canOpen: isLocalOnly(options) && !readOnly } : undefined;
    const parts = { hub, access, page: readPage(), info, basePath, programs, pusher };
    return createApp({ ...parts, closing: closing.signal, onError });
  }).catch(async (error: unknown) => {
    await hub.close();
    throw error;
  });
  const shown = host === '::1' ? '[::1]' : host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${shown}:${server.port}${basePath}/`;
  const about = { name: options.name, port: server.port, url, readOnly, hasAuth: options.auth !== undefined };
  const withdraw = announced === undefined ? undefined : await announce({ ...about, token: announced }).catch(onError);
  const close = async (): Promise<void> => {
    withdraw?.();
    hub.journal.note({ what: 'event', id: null, event: { type: 'bye' } });
    closing.abort();
    await Promise.all([server.close(), hub.close()]);
  };
  let closed: Promise<void> | undefined;
  return {
    url: options.auth ? url : `${url}#token=${token}`,
    port: server.port,
    token,
    observer: own.observer,
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

async function sourcesOf(
  own: ProcessSource,
  fleets: readonly WatchableFleet[],
  { disk, recordings = [], sources = [] }: InspectOptions,
): Promise<Source[]> {
  const all: Source[] = [own, ...fleets.map((fleet, index) => new FleetSource(fleet, index)), ...sources];
  if (disk) all.push(new DiskSource(disk === true ? {} : disk, own));
  if (recordings.length > 0) all.push(await openRecordings(recordings));
  return all;
}

/** Values to redact: secrets of the environment, of inspected clients, and those in the option. */
function secretsOf(targets: readonly Watchable[], named: readonly string[]): string[] {
  const defaults = targets.flatMap((target) => ('defaults' in target ? secretsIn({ ...target.defaults }) : []));
  return [...secretsIn(process.env), ...defaults, ...named];
}

/** The server's host names and origins: the usual ones of this machine and the allowed ones, with both schemes. */
function namesOf(host: string, port: number, allowed: readonly string[]): { hosts: Set<string>; origins: Set<string> } {
  const local = [...new Set(['127.0.0.1', 'localhost', '[::1]', host.includes(':') ? `[${host}]` : host])];
  const names = local.map((name) => `${name}:${port}`);
  const known = [...names, ...(port === 80 ? local : []), ...allowed].map((name) => name.toLowerCase());
  const remote = allowed.map((name) => `https://${name.toLowerCase()}`);
  return { hosts: new Set(known), origins: new Set([...known.map((name) => `http://${name}`), ...remote]) };
}
