// Many runs one after another in one host.
import { runHost } from '../host.mjs';
import { officialEntry } from '../peer.mjs';
import { section } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';

export async function run() {
  const count = scaled(10_000);
  const contenders = ['bare', 'query', 'session', ...(officialEntry() ? ['official'] : [])];
  const rows = [];
  for (const contender of contenders) {
    const { wallMs, ...figures } = await runHost('one-shots', [contender, count], { execArgv: ['--expose-gc'] });
    rows.push({ contender, ...figures });
  }
  return [section('one-shots', `${shown(count)} sequential one-shots: what is left behind`, rows)];
}
