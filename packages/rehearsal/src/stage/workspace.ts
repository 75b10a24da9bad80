import { cp, lstat, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isObject } from '@coxswain/shared/is-object';
import { RehearsalError } from '../rehearsal-error.ts';
import type { Gap, Scenario } from '../scenario/scenario.ts';
import { isActedOn } from './acted-on.ts';
import { withGitRef } from './git-ref.ts';
import { type Folders, isInside, placeOf } from './paths.ts';
import type { Stage } from './stage.ts';

/**
 * Fills the workspace of a rehearsal with a copy of a folder, or with the files of the recording. Returns what it left
 * out.
 */
export async function fillWorkspace(
  scenario: Scenario,
  { workspace, ref }: Pick<Stage, 'workspace' | 'ref'>,
  folders: Folders,
): Promise<Gap[]> {
  if (workspace === undefined && ref !== undefined) {
    throw new RehearsalError(
      'workspace',
      `${ref} is not copied: a ref needs a workspace, the folder of a Git repository.`,
    );
  }
  if (workspace === undefined) return writeFiles(scenario, folders);
  if (ref === undefined) return copyFolder(workspace, folders.workspace);
  return withGitRef(workspace, ref, (files) => copyFolder(files, folders.workspace));
}

async function writeFiles(scenario: Scenario, folders: Folders): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const [path, content] of Object.entries(scenario.files)) {
    const place = placeOf(path, folders);
    try {
      if (place === undefined) continue;
      if (isActedOn(path, false)) throw new Error('Git would act on it');
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content, { flag: 'wx' });
    } catch {
      gaps.push({ what: `the file ${path.slice(0, 200)} could not be created` });
    }
  }
  return gaps;
}

/** Links that lead out of the folder are left out, and everything except files and folders. */
async function copyFolder(from: string, to: string): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const root = await realpath(from).catch((error: unknown) => {
    throw new RehearsalError('workspace', `The workspace ${from} cannot be read.`, error);
  });
  await refuseForeignSettings(root);
  const links: { readonly path: string; readonly target: string }[] = [];
  const filter = async (path: string): Promise<boolean> => {
    const stats = await lstat(path);
    if (stats.isFile() || stats.isDirectory()) return true;
    const target = stats.isSymbolicLink() ? await realpath(path).catch(() => undefined) : undefined;
    if (target !== undefined && isInside(target, root)) links.push({ path, target });
    else gaps.push({ what: `${path} is not copied: it leads out of the workspace or is not a file` });
    return false;
  };
  await cp(root, to, { recursive: true, filter, force: true });
  for (const { path, target } of links) {
    const place = join(to, relative(root, path));
    // A link to a folder that contains it would be copied without end. An absolute one would lead back to the original.
    await symlink(relative(dirname(place), join(to, relative(root, target))) || '.', place);
  }
  return gaps;
}

/** Settings of the project that would connect the CLI to something other than the fake API, or replace the shell. */
async function refuseForeignSettings(root: string): Promise<void> {
  for (const name of ['settings.json', 'settings.local.json']) {
    const path = join(root, '.claude', name);
    const text = await readFile(path, 'utf8').catch(() => '{}');
    const foreign = foreignSettings(parsed(text, path));
    if (foreign.length > 0) {
      throw new RehearsalError(
        'workspace',
        `${path} sets ${foreign.join(', ')}: a rehearsal could reach the network or run commands.`,
      );
    }
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RehearsalError('workspace', `${path} is not JSON.`, error);
  }
}

/** The names of settings that a rehearsal cannot accept. */
export function foreignSettings(settings: unknown): string[] {
  if (!isObject(settings)) return [];
  const env = isObject(settings.env) ? Object.keys(settings.env).filter(isForeignVariable) : [];
  const others = Object.keys(settings).filter((name) => settings[name] !== undefined && FOREIGN.test(name));
  return [...env.map((name) => `env.${name}`), ...others];
}

/** Settings that name a program which the CLI runs itself, or a place from which it fetches plugins. */
const FOREIGN =
  /(Helper|AuthRefresh|CredentialExport|[sS]tatusLine|Marketplaces|Wrapper)$|^(fileSuggestion|enabledPlugins)$/;

/** True for variables that select a provider, contain credentials, or replace the shell or the network of the CLI. */
export function isForeignVariable(name: string): boolean {
  return /^(ANTHROPIC_|AWS_|GOOGLE_|CLOUD_ML_|VERTEX_|CLAUDE_CODE_|CLAUDE_CONFIG_DIR$|SHELL$|HOME$)|_PROXY$/i.test(
    name,
  );
}
