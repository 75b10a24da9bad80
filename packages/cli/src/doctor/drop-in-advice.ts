import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const OFFICIAL = '@anthropic-ai/claude-agent-sdk';

/** What to change so that a program gets the drop-in. */
export interface Advice {
  readonly next: string;
  /** The lines of package.json, or of pnpm's workspace file. */
  readonly lines: readonly string[];
}

/** How the package manager of `folder` replaces the official SDK. */
export async function dropInAdvice(folder: string): Promise<Advice> {
  const { manager, manifest } = await projectIn(folder);
  const version = JSON.stringify(aliasIn(manifest) ?? 'npm:@coxswain/drop-in@latest');
  const lines = linesFor(manager, version);
  const tarball = version.includes('.tgz');
  if (manager === 'yarn' && isReplaced(manifest.resolutions) && !isReplaced(manifest.dependencies)) {
    return {
      next: 'Yarn 1 does not apply "resolutions" to direct dependencies: change "dependencies" as well, and install again.',
      lines,
    };
  }
  if (tarball && manager !== 'npm' && !(await replacesCoxswain(folder, manifest))) {
    const where = manager === 'yarn' ? 'resolutions' : 'overrides';
    return {
      next: `The tarball depends on coxswain, which npm does not have: add "coxswain": "file:…/coxswain-….tgz" to "${where}" as well, and install again.`,
      lines,
    };
  }
  const place = manager === 'pnpm' ? 'package.json and pnpm-workspace.yaml' : 'package.json';
  return { next: `Add these lines to ${place}, and install again.`, lines };
}

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** The lock files of the package managers. */
const LOCKS: Readonly<Record<string, Manager>> = {
  'pnpm-lock.yaml': 'pnpm',
  'pnpm-workspace.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  '.yarnrc.yml': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'bunfig.toml': 'bun',
};

/** The fields of package.json that decide which package is installed. */
interface Manifest {
  readonly dependencies?: unknown;
  readonly overrides?: unknown;
  readonly resolutions?: unknown;
}

async function projectIn(folder: string): Promise<{ manager: Manager; manifest: Manifest }> {
  const manifest = await manifestIn(folder);
  const named = /^(pnpm|yarn|bun)@/.exec(String(Object(manifest).packageManager))?.[1];
  const locked = Object.entries(LOCKS).find(([file]) => existsSync(join(folder, file)))?.[1];
  const written = manifest.resolutions === undefined ? 'npm' : 'yarn';
  // The pattern has only these names.
  return { manager: (named as Manager | undefined) ?? locked ?? written, manifest };
}

async function manifestIn(folder: string): Promise<Manifest> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return Object(manifest);
  } catch {
    return {};
  }
}

function linesFor(manager: Manager, version: string): string[] {
  const dependency = `"dependencies": { "${OFFICIAL}": ${version} },`;
  if (manager === 'pnpm') return [dependency, `overrides: { '${OFFICIAL}': ${version} }`];
  return [dependency, `"${manager === 'yarn' ? 'resolutions' : 'overrides'}": { "${OFFICIAL}": ${version} }`];
}

/** What package.json names as the drop-in. */
function aliasIn({ dependencies, overrides, resolutions }: Manifest): string | undefined {
  const all = [dependencies, overrides, resolutions].map((field) => String(Object(field)[OFFICIAL]));
  return all.find((value) => value.includes('drop-in'));
}

function isReplaced(field: unknown): boolean {
  return String(Object(field)[OFFICIAL]).includes('drop-in');
}

async function replacesCoxswain(folder: string, { overrides, resolutions }: Manifest): Promise<boolean> {
  const workspace = await readFile(join(folder, 'pnpm-workspace.yaml'), 'utf8').catch(() => '');
  return (
    [overrides, resolutions].some((field) => 'coxswain' in Object(field)) || /^\s+['"]?coxswain['"]?:/m.test(workspace)
  );
}
