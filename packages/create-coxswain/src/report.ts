import { relative } from 'node:path';
import type { PackageManager } from './choices.ts';
import type { ScriptNames } from './manifest.ts';
import { scriptCommand } from './package-manager.ts';

/** What was done to a project. */
export interface ScaffoldReport {
  readonly folder: string;
  readonly manager: PackageManager;
  readonly agentFolder: string;
  /** The scripts of package.json, by purpose. */
  readonly names: ScriptNames;
  readonly written: readonly string[];
  /** Files that were there already. */
  readonly kept: readonly string[];
  /** Files to which something was added. */
  readonly changed: readonly string[];
}

/** The report for a person: what was written, and the next commands. */
export function reportLines(report: ScaffoldReport, from: string = process.cwd()): readonly string[] {
  const { manager, names } = report;
  const folder = relative(from, report.folder);
  const script = (name: string): string => scriptCommand(manager, names.get(name) ?? name);
  const width = Math.max(...[...names.keys()].map((name) => script(name).length));
  const line = (name: string, purpose: string): string => `  ${script(name).padEnd(width)}   ${purpose}`;
  return [
    ...report.written.map((path) => `written  ${path}`),
    ...report.changed.map((path) => `changed  ${path}`),
    ...report.kept.map((path) => `kept     ${path}  (it was there already)`),
    '',
    'Next:',
    ...(folder === '' ? [] : [`  cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)}`]),
    `  ${manager} install`,
    line('test', 'the guard on a scripted model: no key, no network'),
    line('rehearse', 'recorded conversations on the real CLI, which it downloads: no key'),
    line('agent', 'the agent: needs Claude Code, logged in'),
  ];
}
