import { type Language, type PackageManager, ScaffoldError } from './choices.ts';
import { allowScripts } from './install-scripts.ts';

/** A package.json, as far as it is read here. */
export type Manifest = Readonly<Record<string, unknown>>;

/** What the project needs from package.json. */
export interface Needs {
  readonly language: Language;
  readonly manager: PackageManager;
  readonly agentFolder: string;
  readonly extension: string;
  /** The version of the Coxswain packages. */
  readonly version: string;
}

/** The name of each script in package.json: itself, or with a prefix. */
export type ScriptNames = ReadonlyMap<string, string>;

/** Versions that the tests of this repository use. */
export const TOOLS = { '@types/node': '^20.19.43', tsx: '^4.23.15', typescript: '~6.0.3' } as const;

/**
 * The manifest with the scripts and dependencies of the agent. What is there stays: a script whose name is taken gets the prefix
 * `agent:`, and a dependency keeps its version. @throws ScaffoldError
 */
export function withAgent(manifest: Manifest, needs: Needs): { manifest: Manifest; names: ScriptNames } {
  const existing = recordOf(manifest, 'scripts');
  const wanted = Object.entries(scripts(needs));
  const names = new Map(wanted.map(([name, command]) => [name, freeName(existing, name, command, needs.agentFolder)]));
  const added = wanted.map(([name, command]) => [names.get(name) ?? name, command] as const);
  const known = new Set(LISTS.flatMap((list) => Object.keys(recordOf(manifest, list))));
  const missing = (list: Readonly<Record<string, string>>): [string, string][] =>
    Object.entries(list).filter(([name]) => !known.has(name));
  return {
    manifest: {
      ...manifest,
      scripts: { ...existing, ...Object.fromEntries(added) },
      dependencies: sorted([...Object.entries(recordOf(manifest, 'dependencies')), ...missing(runtime(needs))]),
      devDependencies: sorted([...Object.entries(recordOf(manifest, 'devDependencies')), ...missing(tools(needs))]),
      ...installScripts(manifest, needs),
    },
    names,
  };
}

const LISTS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

function scripts({ language, agentFolder: folder, extension }: Needs): Readonly<Record<string, string>> {
  const node = language === 'typescript' ? 'node --import tsx' : 'node';
  return {
    test: `${node} --test ${folder}/*.test.${extension}`,
    ...(language === 'typescript' ? { typecheck: `tsc -p ${folder}` } : {}),
    agent: `${node} ${folder}/main.${extension}`,
    rehearse: `${node} --test ${folder}/rehearsal.${extension}`,
  };
}

function installScripts(manifest: Manifest, needs: Needs): Manifest {
  const scripts = { ...allowScripts(needs), ...recordOf(manifest, 'allowScripts') };
  return Object.keys(scripts).length > 0 ? { allowScripts: scripts } : {};
}

function runtime({ version }: Needs): Readonly<Record<string, string>> {
  return { coxswain: `^${version}` };
}

function tools({ language, version }: Needs): Readonly<Record<string, string>> {
  const ours = ['@coxswain/cli', '@coxswain/rehearsal', '@coxswain/testkit'].map(
    (name) => [name, `^${version}`] as const,
  );
  return { ...Object.fromEntries(ours), ...(language === 'typescript' ? TOOLS : {}) };
}

/** The name, or with a prefix if something else has it. @throws ScaffoldError if that is taken, too */
function freeName(taken: Readonly<Record<string, unknown>>, name: string, command: string, folder: string): string {
  for (const one of [name, `${folder}:${name}`]) {
    if (!Object.hasOwn(taken, one) || taken[one] === command) return one;
  }
  throw new ScaffoldError(`package.json has the scripts ${name} and ${folder}:${name} already. Nothing was changed.`);
}

function recordOf(manifest: Manifest, field: string): Readonly<Record<string, unknown>> {
  const value = manifest[field] ?? {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new ScaffoldError(`package.json: ${field} is not an object. Nothing was changed.`);
}

function sorted(entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
