// Lets go of supervised sessions in two ways and tells what becomes of them: one that nobody uses, one whose turn is awaited.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { superviseSession } from '../../src/entry/session.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const [, , cli, go] = process.argv;
const warnings = [];

function open() {
  return superviseSession({
    cli,
    skipVersionCheck: true,
    limits: { graceMs: 100, termMs: 100 },
    onWarning: ({ code }) => warnings.push(code),
  });
}

async function dropUnused() {
  const session = open();
  await session.ready;
  return session.pid;
}

async function collect(rounds, done = () => false) {
  for (let round = 0; round < rounds && !done(); round += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const pid = await dropUnused();
await collect(500, () => warnings.length > 0);
console.log(JSON.stringify({ pid, warnings: warnings.splice(0) }));

const text = open().send(`wait ${go}`).text();
await collect(20);
console.log(JSON.stringify(warnings));
console.log(await text);
await collect(500, () => warnings.length > 0);
console.log(JSON.stringify(warnings));
