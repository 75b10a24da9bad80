import { text, startFakeApi } from '@coxswain/testkit';
import { it } from 'vitest';
import { isolatedHome } from '../harness/isolated-home.ts';
import { spawn } from 'node:child_process';
import { realCli } from '../harness/real-cli.ts';
const answer = 'Zwölf Boxkämpfer jagen Viktor. '.repeat(100_000);
for (const mode of ['direct', 'pause50', 'pause100','pause200'])
it.for([1,2,3,4,5])('paused ' + mode + ' %i', async () => {
    await using api = await startFakeApi([text(answer)]);
    await using home = await isolatedHome(api.url);
    const child = spawn(realCli('2.1.197'), ['--print', '--output-format', 'stream-json', '--verbose'], {cwd: home.project, env: home.env(), stdio: ['pipe','pipe','inherit']});
    child.stdin.end('hello');
    let n = 0, exitAt = 0, big = 0;
    const t0 = performance.now();
    child.on('exit', () => exitAt = performance.now() - t0);
    child.stdout.on('data', c => { n += c.length; if (!big && n > 10000) { big = performance.now(); if (mode !== 'direct') {child.stdout.pause(); setTimeout(() => child.stdout.resume(), Number(mode.slice(5)))} }  });
    await new Promise(r => child.on('close', r));
    console.log(mode, 'bytes', n, 'exit after big', exitAt - (big - t0),  'closed', performance.now() - t0);
});
