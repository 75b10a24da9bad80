export const LANGUAGES = ['typescript', 'javascript'] as const;
export type Language = (typeof LANGUAGES)[number];

export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** What a person can choose; everything is checked. */
export interface ScaffoldOptions {
  /** The folder of the project. */
  readonly folder: string;
  /** `typescript` by default. */
  readonly language?: string | undefined;
  /** By default that of the lockfile, otherwise the one that runs this command, otherwise npm. */
  readonly packageManager?: string | undefined;
  /** The folder of the agent in the project; `agent` by default. */
  readonly agentFolder?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** A choice that cannot be carried out. Nothing was written. */
export class ScaffoldError extends Error {
  override readonly name = 'ScaffoldError';
}

/** @throws ScaffoldError */
export function checkLanguage(value: string = 'typescript'): Language {
  return oneOf('language', LANGUAGES, value);
}

/** @throws ScaffoldError */
export function checkPackageManager(value: string): PackageManager {
  return oneOf('package manager', PACKAGE_MANAGERS, value);
}

/** A folder directly in the project, also usable as a prefix of scripts. @throws ScaffoldError */
export function checkAgentFolder(value: string = 'agent'): string {
  if (/^[a-z][a-z0-9-]{0,40}$/.test(value) && value !== 'node-modules') return value;
  throw new ScaffoldError(`"${value}" cannot be the folder of the agent: use small letters, digits and hyphens.`);
}

function oneOf<T extends string>(what: string, values: readonly T[], value: string): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw new ScaffoldError(`There is no ${what} "${value}". Choose ${values.join(', ')}.`);
  return found;
}
