import type { Language, PackageManager } from './choices.ts';
import type { Files } from './template.ts';

/** The project, as far as it decides about install scripts. */
interface Project {
  readonly language: Language;
  readonly manager: PackageManager;
}

/**
 * The field of package.json that refuses the install script of esbuild, which tsx does not need: npm warns about a script that is
 * neither allowed nor refused.
 */
export function allowScripts(project: Project): Readonly<Record<string, boolean>> {
  return project.language === 'typescript' && project.manager === 'npm' ? { esbuild: false } : {};
}

/** The same for pnpm, whose installation fails otherwise. */
export function installScriptFiles(project: Project): Files {
  const isNeeded = project.language === 'typescript' && project.manager === 'pnpm';
  return new Map(isNeeded ? [['pnpm-workspace.yaml', 'allowBuilds:\n  esbuild: false\n']] : []);
}
