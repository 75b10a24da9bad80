// The entry `coxswain/cli`: which Claude Code CLI a run uses, and the copies the SDK installs.
export { type CliInspection, inspectCli } from './inspect.ts';
export type { InstalledCli, InstallProgress } from './install.ts';
export {
  type InstallCliOptions,
  type InstalledCopiesOptions,
  type InstalledCopy,
  installCli,
  installedClis,
} from './own-copies.ts';
export { PINNED_VERSION } from './pinned-version.ts';
