import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { checkAgentFolder, checkLanguage, ScaffoldError, type ScaffoldOptions } from './choices.ts';
import { installScriptFiles } from './install-scripts.ts';
import { withAgent } from './manifest.ts';
import { ownVersion } from './own-version.ts';
import { isModernYarn, type Manager, managerFor } from './package-manager.ts';
import { readme } from './readme.ts';
import type { ScaffoldReport } from './report.ts';
import { extensionOf, templateFiles } from './template.ts';
import { workflow } from './workflow.ts';
import { writeFiles } from './write-files.ts';

/** Makes a project in an empty or new folder. @throws ScaffoldError before anything is written */
export function createProject(options: ScaffoldOptions): ScaffoldReport {
  const folder = resolve(options.folder);
  const language = checkLanguage(options.language);
  const agentFolder = checkAgentFolder(options.agentFolder);
  checkEmpty(folder);
  const manager = managerFor(folder, options.packageManager, options.env ?? process.env);
  const choice = { language, manager: manager.name, agentFolder, moduleExtension: false };

  const base = { name: nameOf(folder), private: true, type: 'module', ...pinnedManager(folder, manager) };
  const needs = { ...choice, extension: extensionOf(choice), version: ownVersion() };
  const { manifest, names } = withAgent(base, needs);
  mkdirSync(folder, { recursive: true });
  const files = new Map([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['README.md', readme(nameOf(folder), manager.name, agentFolder, language)],
    ['.gitignore', 'node_modules/\n.yarn/\n.pnp.*\n'],
    ...templateFiles(choice),
    ...installScriptFiles(choice),
    ['.github/workflows/agent.yml', workflow(manager, isModernYarn(folder, manager), names)],
  ]);
  return { folder, manager: manager.name, agentFolder, names, changed: [], ...writeFiles(folder, files) };
}

/** A folder with only a `.git` counts as empty. */
function checkEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!lstatSync(folder).isDirectory()) throw new ScaffoldError(`${folder} is not a folder.`);
  const [first] = readdirSync(folder).filter((name) => name !== '.git');
  if (first === undefined) return;
  throw new ScaffoldError(
    `${folder} is not empty: it has ${first}. In an existing project, run: npx @coxswain/cli init`,
  );
}

/** A name that npm accepts, from the name of the folder. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100);
  return name === '' || name === 'node-modules' ? 'my-agent' : name;
}

/** Yarn 2 and newer take their version from package.json, otherwise CI would install yarn 1. */
function pinnedManager(folder: string, manager: Manager): { packageManager?: string } {
  return isModernYarn(folder, manager) ? { packageManager: `yarn@${manager.version}` } : {};
}
