// node bench/hosts/one-run.mjs bare|query|session|official [hooks|permissions] [5000]: boots, imports, answers, exits.
import { stubCli } from '../stub.mjs';

const [contender, what = 'hooks', count = '5000'] = process.argv.slice(2);
const env = { [what === 'hooks' ? 'STUB_HOOKS' : 'STUB_PERMISSIONS']: count };
let asked = 0;
const job = {
  cli: stubCli(),
  env,
  asked: () => {
    asked++;
  },
};
await (await runner())(job, () => {});
if (asked !== Number(count)) throw new Error(`${asked} instead of ${count}`);
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ cpuMs: (user + system) / 1_000 }));

async function runner() {
  switch (contender) {
    case 'bare':
      return (await import('../contenders/bare.mjs')).session;
    case 'official':
      return (await import('../contenders/official.mjs')).oneShot;
    case 'query':
      return (await import('../contenders/coxswain.mjs')).oneShot;
    default:
      return (await import('../contenders/coxswain.mjs')).session;
  }
}
