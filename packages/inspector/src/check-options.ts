import { isObject } from '@coxswain/shared/is-object';
import {
  CALLBACK,
  COUNT,
  FLAG,
  type Kind,
  type KindsOf,
  type OptionProblem,
  problemsIn,
  TEXT,
  TEXTS,
} from '@coxswain/shared/option-kinds';
import { OptionsError } from 'coxswain/errors';
import type { DiskOptions, InspectOptions } from './options.ts';
import type { PushOptions } from './push/pusher.ts';
import { isLoopback } from './server/loopback.ts';
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

const OBJECTS: Kind = { is: (value) => Array.isArray(value) && value.every(isObject), what: 'an array of sources' };
const PORT: Kind = {
  is: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  what: 'a port from 0 to 65535',
};
const DISK_KINDS: KindsOf<DiskOptions> = {
  ...{ cwd: TEXT, configDir: TEXT, limit: COUNT, open: CALLBACK },
};
const DISK: Kind = {
  is: (value) => typeof value === 'boolean' || isObject(value),
  what: 'true, false or an object',
  within: DISK_KINDS,
};

const SUBJECT: Kind = {
  is: (value) => typeof value === 'string' && /^(?:mailto:\S+@\S+|https:\/\/\S+)$/.test(value),
  what: 'an address such as mailto:ops@example.com, or one with https',
};
const PUSH_KINDS: KindsOf<PushOptions> = { subject: SUBJECT, file: TEXT, services: TEXTS };
const PUSH: Kind = { is: isObject, what: 'an object with subject and file', within: PUSH_KINDS };

const KINDS: KindsOf<InspectOptions> = {
  ...{ port: PORT, host: TEXT, allowedHosts: TEXTS, token: TEXT, auth: CALLBACK, readOnly: FLAG, basePath: TEXT },
  ...{ secrets: TEXTS, disk: DISK, recordings: TEXTS, sources: OBJECTS, name: TEXT, announce: FLAG, programs: FLAG },
  ...{ onAudit: CALLBACK, onError: CALLBACK, demo: FLAG, push: PUSH },
};

/** Unknown options, such as `readonly`, and options of the wrong kind. */
function problemsOf(options: InspectOptions): OptionProblem[] {
  if (!isObject(options)) return [{ path: 'options', message: 'must be an object.' }];
  return problemsIn(options, KINDS);
}

function contradictionsIn({
  host = '127.0.0.1',
  allowedHosts = [],
  token,
  auth,
  basePath,
  push,
}: InspectOptions): OptionProblem[] {
  const problems: OptionProblem[] = [];
  for (const name of ['subject', 'file'] as const) {
    if (push !== undefined && push[name] === undefined) problems.push({ path: `push.${name}`, message: 'is missing.' });
  }
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
