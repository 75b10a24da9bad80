// The entry `coxswain/cli`: which Claude Code CLI a run uses, and the copies the SDK installs.
export { checkIsolation } from './bubblewrap.ts';
export { type CliInspection, findCli, inspectCli } from './inspect.ts';
export {
  type InstallCliOptions,
  type InstalledCli,
  type InstalledCopiesOptions,
  type InstalledCopy,
  type InstallProgress,
  installCli,
  installedClis,
} from './install.ts';
export type { FoundCli } from './locate.ts';
export type { NewerRelease } from './newer-release.ts';
export { PINNED_VERSION } from './version.ts';
