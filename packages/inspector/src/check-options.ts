import { OptionsError, unknownName } from 'coxswain/errors';
import type { DiskOptions, InspectOptions } from './options.ts';
import { isFleet } from './sources/fleet/watchable-fleet.ts';

/** @throws OptionsError */
export function checkOptions(options: InspectOptions): void {
  const problems = problemsOf(options);
  // Contradictions are checked only between options of the right kind.
  if (problems.length === 0) problems.push(...contradictionsIn(options));
  if (problems.length > 0) throw new OptionsError(problems);
}

/** @throws OptionsError unless each target can be observed, such as when options were passed as the target */
export function checkTargets(targets: readonly unknown[]): void {
  const isFit = (target: unknown): boolean => isObject(target) && (isFleet(target) || 'observe' in target);
  if (targets.every(isFit)) return;
  const message = 'must be a client, a session, a pool, a fleet, or a list of them; options are the second argument.';
  throw new OptionsError([{ path: 'target', message }]);
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What an option must be, as a check and as text. */
interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
}

const TEXT: Kind = { is: (value) => typeof value === 'string', what: 'a string' };
const FLAG: Kind = { is: (value) => typeof value === 'boolean', what: 'true or false' };
const CALLBACK: Kind = { is: (value) => typeof value === 'function', what: 'a function' };
const TEXTS: Kind = { is: (value) => Array.isArray(value) && value.every(TEXT.is), what: 'a list of strings' };
const OBJECTS: Kind = { is: (value) => Array.isArray(value) && value.every(isObject), what: 'a list of sources' };
const PORT: Kind = {
  is: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  what: 'a port from 0 to 65535',
};
const NUMBER: Kind = {
  is: (value) => typeof value === 'number' && Number.isInteger(value) && value > 0,
  what: 'a whole number above 0',
};
const DISK: Kind = { is: (value) => typeof value === 'boolean' || isObject(value), what: 'true, false or an object' };

const KINDS: Readonly<Record<keyof InspectOptions, Kind>> = {
  ...{ port: PORT, host: TEXT, allowedHosts: TEXTS, token: TEXT, auth: CALLBACK, readOnly: FLAG, basePath: TEXT },
  ...{ secrets: TEXTS, disk: DISK, recordings: TEXTS, sources: OBJECTS, name: TEXT, announce: FLAG, programs: FLAG },
  ...{ onAudit: CALLBACK, onError: CALLBACK, demo: FLAG },
};

const DISK_KINDS: Readonly<Record<keyof DiskOptions, Kind>> = {
  ...{ cwd: TEXT, configDir: TEXT, limit: NUMBER, open: CALLBACK },
};

/** Unknown options, such as `readonly`, and options of the wrong kind. */
function problemsOf(options: InspectOptions): Problem[] {
  if (!isObject(options)) return [{ path: 'options', message: 'must be an object.' }];
  const { disk } = options;
  const ofDisk = isObject(disk) ? wrongIn(disk, DISK_KINDS, 'disk.') : [];
  return [...wrongIn(options, KINDS, ''), ...ofDisk];
}

function wrongIn(options: object, kinds: Readonly<Record<string, Kind>>, before: string): Problem[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    const path = `${before}${name}`;
    if (kind === undefined) return [{ path, message: unknownName('option', name, Object.keys(kinds)) }];
    return value === undefined || kind.is(value) ? [] : [{ path, message: `must be ${kind.what}.` }];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function contradictionsIn({ host = '127.0.0.1', allowedHosts = [], token, auth, basePath }: InspectOptions): Problem[] {
  const problems: Problem[] = [];
  if (token !== undefined && token.length < 16) {
    problems.push({ path: 'token', message: 'must have at least 16 characters; omit it for a random one.' });
  }
  if (basePath !== undefined && !/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(basePath)) {
    problems.push({ path: 'basePath', message: 'must start with a slash and not end with one, such as "/inspector".' });
  }
  for (const name of allowedHosts) {
    if (!/^[\w.-]+(?::\d+)?$/.test(name)) {
      problems.push({
        path: 'allowedHosts',
        message: `${JSON.stringify(name)} is not a host name; wildcards are not allowed.`,
      });
    }
  }
  if (!isLoopback(host)) {
    if (allowedHosts.length === 0) {
      problems.push({
        path: 'host',
        message: 'is reachable from other machines: list the host names of the inspector in allowedHosts.',
      });
    }
    if (token === undefined && auth === undefined) {
      problems.push({ path: 'host', message: 'is reachable from other machines: set a token, or auth.' });
    }
  }
  return problems;
}

/** Whether an address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
