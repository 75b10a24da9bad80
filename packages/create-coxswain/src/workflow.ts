import type { ScriptNames } from './manifest.ts';
import type { Manager } from './package-manager.ts';
import { scriptCommand } from './package-manager.ts';

/** A GitHub workflow that runs the test, the type-check and the rehearsal. */
export function workflow(manager: Manager, modernYarn: boolean, names: ScriptNames): string {
  const commands: string[] = [...INSTALL[modernYarn ? 'modernYarn' : manager.name]];
  for (const script of ['typecheck', 'test', 'rehearse']) {
    const name = names.get(script);
    if (name !== undefined) commands.push(scriptCommand(manager.name, name));
  }
  return `name: agent
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  agent:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v5
        with: { persist-credentials: false }
      - uses: actions/setup-node@v5
        with: { node-version: 22 }
${commands.map((command) => `      - run: ${command}\n`).join('')}`;
}

const INSTALL = {
  npm: ['npm ci'],
  pnpm: ['npm install --global pnpm', 'pnpm install --frozen-lockfile'],
  yarn: ['npm install --global yarn@1', 'yarn install --frozen-lockfile'],
  modernYarn: ['npm install --global corepack', 'corepack enable', 'yarn install --immutable'],
  bun: ['npm install --global bun', 'bun install --frozen-lockfile'],
} as const;
