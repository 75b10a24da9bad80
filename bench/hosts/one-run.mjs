// node bench/hosts/one-run.mjs bare-session|query|session|official [hooks|permissions] [5000]: boots, imports, answers, exits.
import { playerOf } from '../contenders/play.mjs';
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
const play = await playerOf(contender);
await play(job, () => {});
if (asked !== Number(count)) throw new Error(`${asked} instead of ${count}`);
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ cpuMs: (user + system) / 1_000 }));
