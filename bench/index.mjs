// npm run bench: all scenarios one after the other, each in a separate process. npm run bench -- hooks throughput:
// some. ROUNDS=3 is a quick look. Exits with 1 if a scenario fails, 2 if its control makes it void,
// 3 if a limit is missed.
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { checkLimits } from './report/limits.mjs';
import { aboutMachine } from './report/machine.mjs';
import { printLimits } from './report/print.mjs';
import { keep, keptSections } from './report/write.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { QUICK } from './settings.mjs';
import { stubCli } from './stub.mjs';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  console.error(`no such scenario: ${unknown.join(' ')}; choose from ${SCENARIOS.map(({ name }) => name).join(' ')}`);
  process.exit(1);
}

stubCli();
const machine = aboutMachine();
if (loadavg()[0] > 0.5)
  console.log(`The load average is ${loadavg()[0].toFixed(1)}: an idle machine gives better figures.`);
let status = 0;
const measured = [];
for (const scenario of SCENARIOS) {
  if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
  const sections = await measure(scenario);
  if (sections === undefined) status = 1;
  else measured.push(...sections);
}

if (status === 0 && measured.some((section) => section.void)) status = 2;
const sections = QUICK ? measured : keptSections(measured);
const limits = checkLimits(sections);
printLimits(limits);
if (status === 0 && !QUICK && limits.some(({ met }) => met === false)) status = 3;
if (QUICK) console.log('\nA quick look: nothing is saved.');
else console.log(`\nWritten: ${keep({ ...machine, sections, limits }).join(', ')}`);
process.exitCode = status;

/** A void scenario is measured again, unless this is a quick look. */
async function measure(scenario) {
  const sections = await runOnce(scenario);
  if (QUICK || !sections?.some((section) => section.void)) return sections;
  console.log(`\n${scenario.name} again`);
  const again = await runOnce(scenario);
  return sections.map((section) => (section.void && again?.find(({ id }) => id === section.id)) || section);
}

/** The sections of a scenario, or undefined if it failed. */
function runOnce({ name, oneCore }) {
  const script = [...process.execArgv, fileURLToPath(new URL('./run-scenario.mjs', import.meta.url)), name];
  const pinned = oneCore && process.platform === 'linux';
  if (oneCore && !pinned) console.log(`\n${name}: not on one core, which only Linux supports`);
  const [command, args] = pinned ? ['taskset', ['-c', '0', process.execPath, ...script]] : [process.execPath, script];
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve) => {
    let sections;
    child.on('message', (message) => {
      sections = message;
    });
    child.on('error', (error) => {
      console.error(`${name}: ${error.message}`);
      resolve(undefined);
    });
    child.on('close', (code) => {
      if (code !== 0) console.error(`${name} failed`);
      resolve(code === 0 ? sections : undefined);
    });
  });
}
