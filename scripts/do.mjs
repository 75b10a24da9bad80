// npm run do -- <name> [arguments]: runs a command of scripts/commands.mjs. Without a name, it prints the list.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { commandNamed, GROUPS } from './commands.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PREPARATIONS = { build: 'scripts/build/build.mjs', downloads: 'scripts/suites/prepare-tests.mjs' };

const [name, ...args] = process.argv.slice(2);
const command = name === undefined ? undefined : commandNamed(name);
if (name === undefined || name === '--help') {
  console.log(list());
} else if (command === undefined) {
  console.error(`There is no command '${name}'.\n\n${list()}`);
  process.exitCode = 2;
} else {
  const [first = [], ...rest] = command.run;
  const steps = [[...first, ...args], ...rest];
  if (command.needs) steps.unshift([PREPARATIONS[command.needs]]);
  await runAll(steps);
}

function list() {
  const width = Math.max(...GROUPS.flatMap(({ commands }) => commands.map((one) => one.name.length)));
  const groups = GROUPS.map(({ group, commands }) =>
    [group, ...commands.map((one) => `  ${one.name.padEnd(width)}  ${one.does}`)].join('\n'),
  );
  return ['npm run do -- <name> [arguments]', ...groups, 'Every day: npm run build|lint|typecheck|test:unit, …'].join(
    '\n\n',
  );
}

/** @param {readonly string[][]} steps */
async function runAll(steps) {
  for (const step of steps) {
    const { code, signal } = await run(step);
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
    if (code !== 0) return;
  }
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>}
 */
function run(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  // A terminal sends SIGINT to the child, too; the other signals reach only this process.
  const wait = () => undefined;
  const passOn = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
  process.on('SIGINT', wait).on('SIGTERM', passOn).on('SIGHUP', passOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.off('SIGINT', wait).off('SIGTERM', passOn).off('SIGHUP', passOn);
      resolve({ code, signal });
    });
  });
}
