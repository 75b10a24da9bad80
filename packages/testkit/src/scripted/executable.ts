#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Interpreter } from './interpreter/interpreter.ts';
import type { LaunchFile } from './launch-file.ts';
import { OwnProcess } from './own-process.ts';
import { randomUuid } from './random-uuid.ts';
import { RunLog } from './run-log.ts';
import { sessionsOnDisk } from './session-memory.ts';
import { settingsGiven } from './settings-flag.ts';
import { Shell } from './shell.ts';
import { withTranscripts } from './transcripts-on-disk.ts';

const launch = readLaunchFile();
const [, , ...argv] = process.argv;
const { env, pid } = process;
const cwd = process.cwd();
// A version probe does not count as a run.
const log = argv.includes('--version') ? undefined : new RunLog(launch, { argv, cwd, pid, env });
const sessions = withTranscripts(sessionsOnDisk(launch.sessions), env);
const settings = settingsGiven(argv);
const world = { argv, env, cwd, settings, pid, run: log?.run ?? 0, sessions, now: Date.now, newId: randomUuid };
const shell = new Shell(new Interpreter(launch.script, world), new OwnProcess(log));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shell.signal(signal));
shell.feed({ event: 'start' });
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => shell.feed({ event: 'input', text }));
process.stdin.on('end', () => shell.feed({ event: 'input-end' }));
process.stdin.on('error', () => shell.feed({ event: 'input-end' }));

/** Reads the script, which is beside this program. */
function readLaunchFile(): LaunchFile {
  try {
    return JSON.parse(readFileSync(new URL('./script.json', import.meta.url), 'utf8'));
  } catch (error) {
    process.stderr.write(
      `The scripted CLI plays the script.json beside it; start it through scriptedCli(). ${error}\n`,
    );
    process.exit(1);
  }
}
