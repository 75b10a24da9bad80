import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackageManager, type PackageManager } from './choices.ts';

/** A package manager, with its version if known. */
export interface Manager {
  readonly name: PackageManager;
  readonly version?: string | undefined;
}

/** The chosen one, or that of the project's lockfile, or the one that runs this command, or npm. @throws ScaffoldError */
export function managerFor(folder: string, chosen: string | undefined, env: NodeJS.ProcessEnv): Manager {
  const running = runningManager(env.npm_config_user_agent);
  const name = chosen === undefined ? lockedManager(folder) : checkPackageManager(chosen);
  if (name === undefined) return running ?? { name: 'npm' };
  return name === running?.name ? running : { name };
}

/** The command of a script such as `test`. `bun test` would not run the script. */
export function scriptCommand(name: PackageManager, script: string): string {
  if (name === 'bun') return `bun run ${script}`;
  return script === 'test' || name === 'pnpm' || name === 'yarn' ? `${name} ${script}` : `npm run ${script}`;
}

const LOCKFILES: readonly (readonly [file: string, name: PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];

function lockedManager(folder: string): PackageManager | undefined {
  return LOCKFILES.find(([file]) => existsSync(join(folder, file)))?.[1];
}

/** From the header that package managers set: `pnpm/12.18.0 npm/? node/v20.20.2 linux x64`. */
function runningManager(userAgent: string = ''): Manager | undefined {
  const [, name, version] = /^(npm|pnpm|yarn|bun)\/(\d+\.\d+\.\d+)/.exec(userAgent) ?? [];
  return name === undefined ? undefined : { name: checkPackageManager(name), version };
}

/** True for yarn 2 and newer, by the version or by the lockfile of the project. */
export function isModernYarn(folder: string, { name, version }: Manager): boolean {
  if (name !== 'yarn') return false;
  if (version !== undefined) return !version.startsWith('1.');
  const lockfile = join(folder, 'yarn.lock');
  return existsSync(lockfile) && readFileSync(lockfile, 'utf8').includes('__metadata:');
}
