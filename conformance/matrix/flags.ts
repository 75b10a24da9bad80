import { spawn } from 'node:child_process';
import { type FlagRow, flagTable } from '../../packages/sdk/src/options/flag-table.ts';
import { isolatedHome } from '../harness/isolated-home.ts';
import { type Feature, no, type Verdict, yes } from './probe.ts';

const ID = '44444444-4444-4444-8444-444444444444';

/** Every flag that options and the two modes send, with a value of the kind the SDK sends; `null` is the bare flag. */
const samples: Readonly<Record<string, string | null>> = {
  '--print': null,
  '--verbose': null,
  '--output-format': 'stream-json',
  '--input-format': 'stream-json',
  '--replay-user-messages': null,
  '--model': 'sonnet',
  '--fallback-model': 'haiku',
  '--max-turns': '3',
  '--max-budget-usd': '1.5',
  '--task-budget': '20000',
  '--system-prompt': 'x',
  '--system-prompt-file': 'missing.txt',
  '--append-system-prompt': 'x',
  '--append-system-prompt-file': 'missing.txt',
  '--tools': 'Read',
  '--allowedTools': 'Read',
  '--disallowedTools': 'Bash',
  '--mcp-config': 'missing.json',
  '--strict-mcp-config': null,
  '--permission-mode': 'plan',
  '--permission-prompt-tool': 'stdio',
  '--allow-dangerously-skip-permissions': null,
  '--resume': ID,
  '--resume-session-at': ID,
  '--continue': null,
  '--fork-session': null,
  '--session-id': ID,
  '--no-session-persistence': null,
  '--add-dir': '.',
  '--settings': '{}',
  '--setting-sources': 'user',
  '--plugin-dir': '.',
  '--agents': '{}',
  '--agent': 'x',
  '--json-schema': '{"type":"object"}',
  '--include-partial-messages': null,
  '--thinking': 'adaptive',
  '--max-thinking-tokens': '2000',
  '--effort': 'low',
  '--betas': 'x',
  '--debug': null,
  '--name': 'x',
  '--forward-subagent-text': null,
  '--prompt-suggestions': null,
  '--session-mirror': null,
};

/** The flags as features; the title names the options behind them. */
export const flagFeatures: readonly Feature[] = Object.keys(samples).map((flag) => ({
  id: flag,
  group: 'flags',
  title: titleOf(flag),
}));

/**
 * Which flags a release accepts. Given all flags and no prompt, a CLI names the first unknown flag and exits, so it is run
 * again without that flag until it accepts the rest.
 */
export async function knownFlags(
  cli: string,
  wanted: (flag: string) => boolean = () => true,
): Promise<Map<string, Verdict>> {
  await using home = await isolatedHome('http://127.0.0.1:9');
  const verdicts = new Map<string, Verdict>();
  let waiting = [BOGUS, ...Object.keys(samples).filter(wanted)];
  for (;;) {
    const args = waiting.flatMap((flag) => [flag, samples[flag] ?? []].flat());
    const output = await run([...commandOf(cli), ...args], home.project, home.env());
    const refused = /(?:unknown option|option) '(--[\w-]+)[^']*'(.*)/.exec(output);
    const flag = waiting.find((name) => name === refused?.[1]);
    if (flag === undefined) break;
    verdicts.set(flag, no(refused?.[2]?.trim() || 'unknown option'));
    waiting = waiting.filter((name) => name !== flag);
  }
  if (!verdicts.delete(BOGUS)) throw new Error('This release accepts any flag, so its flags cannot be measured.');
  for (const flag of waiting) verdicts.set(flag, yes);
  return verdicts;
}

/** How a CLI at a path is started. */
export function commandOf(cli: string): string[] {
  return cli.endsWith('.js') ? [process.execPath, cli] : [cli];
}

/** No release has it: a release that does not reject it does not check its flags. */
const BOGUS = '--no-such-flag-of-any-release';

function titleOf(flag: string): string {
  const named = (row: FlagRow): boolean => row.flag === flag || row.overflow?.flag === flag;
  const options = new Set(flagTable.filter(named).map(({ option }) => `\`${option}\``));
  return [...options].join(', ') || 'every run';
}

function run([command = '', ...args]: string[], cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (_, signal) => {
      if (signal === null) resolve(output);
      else reject(new Error(`The CLI did not exit without a signal (${signal}): ${output}`));
    });
  });
}
