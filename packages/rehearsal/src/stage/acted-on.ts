/**
 * True for a file whose content the CLI, or the Git that it runs, acts on: it can name commands. A recording may come from anywhere, so it
 * neither creates nor changes such files. Without settings of a project, the CLI acts on none of its own.
 */
export function isActedOn(path: string, readsSettings: boolean): boolean {
  const whole = `/${path.toLowerCase().replaceAll('\\', '/')}/`;
  return OF_GIT.test(whole) || (readsSettings && OF_THE_CLI.test(whole));
}

const OF_GIT = /\/(\.git|\.gitconfig|\.config\/git)\//;
const OF_THE_CLI = /\/(\.claude[^/]*|\.mcp\.json)\//;
