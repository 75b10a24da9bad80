import { join } from 'node:path';
import process from 'node:process';
import { ensureRuntime } from '../fetch/runtime.mjs';
import { TOOLS } from './registry.mjs';

/**
 * A package manager, as a user calls it: arguments after its name.
 * @typedef {{
 *   name: string, bin: readonly string[], create: (folder: string) => string[], install: string[],
 *   add: (specs: readonly string[]) => string[], addDev: (specs: readonly string[]) => string[], run: string[],
 * }} Manager
 */

/** @param {string} path */
const script = (path) => [process.execPath, join(TOOLS, 'node_modules', path)];

/**
 * The package managers that are tried.
 * @returns {readonly Manager[]}
 */
export function managers() {
  const bun = ensureRuntime('bun', '1.4.4');
  if (bun === undefined) throw new Error('npm has no package bun@1.4.4.');
  return [
    {
      name: 'npm',
      bin: ['npm'],
      create: (folder) => ['create', 'coxswain@latest', folder, '--', '--yes'],
      install: ['install'],
      add: (specs) => ['install', ...specs],
      addDev: (specs) => ['install', '--save-dev', ...specs],
      run: ['run'],
    },
    {
      name: 'pnpm',
      bin: script('pnpm/bin/pnpm.mjs'),
      create: (folder) => ['create', 'coxswain', folder, '--yes'],
      install: ['install'],
      add: (specs) => ['add', ...specs],
      addDev: (specs) => ['add', '--save-dev', ...specs],
      run: ['run'],
    },
    {
      name: 'yarn-1',
      bin: script('yarn/bin/yarn.js'),
      create: (folder) => ['create', 'coxswain', folder, '--yes'],
      install: ['install'],
      add: (specs) => ['add', ...specs],
      addDev: (specs) => ['add', '--dev', ...specs],
      run: ['run'],
    },
    {
      name: 'yarn-4',
      bin: script('@yarnpkg/cli-dist/bin/yarn.js'),
      create: (folder) => ['dlx', 'create-coxswain', folder, '--yes'],
      install: ['install'],
      add: (specs) => ['add', ...specs],
      addDev: (specs) => ['add', '--dev', ...specs],
      run: ['run'],
    },
    {
      name: 'bun',
      bin: [bun],
      create: (folder) => ['create', 'coxswain', folder, '--yes'],
      install: ['install'],
      add: (specs) => ['add', ...specs],
      addDev: (specs) => ['add', '--dev', ...specs],
      run: ['run'],
    },
  ];
}
