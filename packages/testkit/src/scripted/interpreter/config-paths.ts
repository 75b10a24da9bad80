import type { World } from './effects.ts';

/** Where the CLI would keep the session. */
export function transcriptPath({ world, sessionId }: { readonly world: World; readonly sessionId: string }): string {
  return `${configDir(world)}/projects/${projectName(world.cwd)}/${sessionId}.jsonl`;
}

export function configDir({ env }: World): string {
  return env.CLAUDE_CONFIG_DIR ?? `${env.HOME ?? '/home/user'}/.claude`;
}

/** The name of a folder among the projects. */
export function projectName(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-');
}
