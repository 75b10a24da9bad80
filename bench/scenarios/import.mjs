// The cost of the import, each in a separate process.
import { runHost } from '../host.mjs';
import { officialEntry } from '../peer.mjs';
import { paired } from '../section.mjs';

export async function run() {
  const peer = officialEntry();
  const once = (address) => async () => {
    const { wallMs, cpuMs, importMs } = await runHost('import-once', [address]);
    return { ms: wallMs, cpuMs, importMs };
  };
  const contenders = {
    bare: once('data:text/javascript,'),
    control: once('data:text/javascript,'),
    coxswain: once(import.meta.resolve('coxswain')),
    ...(peer && { official: once(peer) }),
  };
  return [await paired('import', 'A process that imports, against one that imports an empty module', contenders)];
}
