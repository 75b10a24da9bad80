import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkAgentFolder, checkLanguage, ScaffoldError, type ScaffoldOptions } from './choices.ts';
import { installScriptFiles } from './install-scripts.ts';
import { type Manifest, withAgent } from './manifest.ts';
import { ownVersion } from './own-version.ts';
import { isModernYarn, managerFor } from './package-manager.ts';
import type { ScaffoldReport } from './report.ts';
import { extensionOf, templateFiles } from './template.ts';
import { workflow } from './workflow.ts';
import { writeFiles } from './write-files.ts';

/** Larger is not a package.json that a person wrote. */
const LARGEST_MANIFEST = 1_000_000;

/** Adds an agent to a project, and overwrites nothing of it. @throws ScaffoldError before anything is written */
export function initProject(options: ScaffoldOptions): ScaffoldReport {
  const folder = resolve(options.folder);
  const agentFolder = checkAgentFolder(options.agentFolder);
  const { text, manifest } = readManifest(folder);
  const language = checkLanguage(options.language);
  const place = join(folder, agentFolder);
  if (existsSync(place) && !(statSync(place).isDirectory() && readdirSync(place).length === 0))
    throw new ScaffoldError(`${agentFolder} exists already. Choose another folder with --folder.`);
  const manager = managerFor(folder, options.packageManager, options.env ?? process.env);
  const choice = { language, manager: manager.name, agentFolder, moduleExtension: manifest.type !== 'module' };

  const needs = { ...choice, extension: extensionOf(choice), version: ownVersion() };
  const { manifest: changed, names } = withAgent(manifest, needs);
  const files = new Map([
    ...templateFiles(choice),
    ...installScriptFiles(choice),
    [`.github/workflows/${agentFolder}.yml`, workflow(manager, isModernYarn(folder, manager), names)] as const,
  ]);
  const done = writeFiles(folder, files);
  replace(
    join(folder, 'package.json'),
    `${JSON.stringify(changed, null, indentOf(text))}${/\n$/.test(text) ? '\n' : ''}`,
  );
  return { folder, manager: manager.name, agentFolder, names, changed: ['package.json'], ...done };
}

function readManifest(folder: string): { text: string; manifest: Manifest } {
  const file = join(folder, 'package.json');
  if (!existsSync(file))
    throw new ScaffoldError(`${folder} has no package.json. For a new project, run: npm create coxswain`);
  if (!statSync(file).isFile() || statSync(file).size > LARGEST_MANIFEST)
    throw new ScaffoldError(`${file} is not a package.json.`);
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  return { text, manifest: parsed(file, text) };
}

function parsed(file: string, text: string): Manifest {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below.
  }
  throw new ScaffoldError(`${file} does not contain a JSON object.`);
}

/** The indent of the first field. */
function indentOf(text: string): string {
  return /^\{\r?\n([\t ]+)"/.exec(text)?.[1] ?? '  ';
}

/** A crash leaves the old file or the new one. */
function replace(file: string, text: string): void {
  const next = `${file}.${process.pid}.new`;
  try {
    writeFileSync(next, text, { flag: 'wx', mode: statSync(file).mode });
    renameSync(next, file);
  } finally {
    rmSync(next, { force: true });
  }
}
