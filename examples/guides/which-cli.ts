import { inspectCli, installCli, installedClis, PINNED_VERSION } from 'coxswain/cli';

// #region cli
const { found, version, supported, searched } = await inspectCli(); // installs nothing
if (found) console.log(found.path, found.source, version, supported);
else for (const { place, reason } of searched) console.log(`${place}: ${reason}`);

const { path } = await installCli({ version: PINNED_VERSION, onProgress: ({ phase }) => console.log(phase) });
console.log(path, await installedClis());
// #endregion
