// The installer behind `cli: 'pinned'`. It is bundled in: the SDK's entry does not export it.
export {
  findPinned,
  type InstallProgress,
  installPinned,
} from '../../../sdk/src/cli/install.ts';
export { platformBuild } from '../../../sdk/src/cli/platform-package.ts';
