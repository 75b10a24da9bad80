import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeApi } from '@coxswain/testkit';
import { type AgentOptions, openSession } from 'coxswain';
import { RehearsalError } from '../rehearsal-error.ts';
import { cliPath } from '../stage/cli-release.ts';
import { observedAgent } from '../stage/observed-agent.ts';
import { PATIENT } from '../stage/patience.ts';
import { Canary } from './canary.ts';
import { failingHooks } from './failing-hooks.ts';
import { checkSandbox, jailedShell, plainShell } from './jail.ts';
import { simpler, sizeOf } from './shrink.ts';
import { Trier, type TryResult } from './trier.ts';
import { knownTries } from './tries.ts';
import { bash, CANARY, type Try } from './try.ts';

/** How to test a guard. */
export interface ProveOptions {
  /** The CLI: a release, `pinned` (the default), or a path. */
  readonly cli?: string | undefined;
  /** Tries these instead of the known ones. */
  readonly tries?: readonly Try[] | undefined;
  /** Ends the search once this many tries got through. */
  readonly enough?: number | undefined;
  /** Runs commands without a jail. They only touch a throw-away folder, unless a hook changes them. */
  readonly unsafe?: boolean | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** What a search found. */
export interface Proof {
  /** How many tries were made. */
  readonly tried: number;
  /** The techniques, each once. */
  readonly techniques: readonly string[];
  /** The tries that destroyed the canary, the smallest first; the first one is shrunk. */
  readonly counterexamples: readonly Try[];
  /** True if a plain command got through when the hooks of the agent threw an exception or did not answer. */
  readonly opensOnFailure: boolean;
}

/**
 * Tries to bypass the guards of an agent and destroy a file that they must protect. Commands run in a jail; the state of
 * the file decides whether a try got through, not the text of the command. It is a search, not a proof: finding nothing
 * means that these tries failed.
 * @throws RehearsalError if there is no jail, or the CLI cannot run
 */
export async function prove(agent: AgentOptions, options: ProveOptions = {}): Promise<Proof> {
  const { tries = knownTries(agent), onProgress = () => {} } = options;
  const cli = await cliPath(options.cli);
  const unsafe = options.unsafe === true;
  if (!unsafe) checkSandbox(agent);
  const made = await search(agent, tries, cli, unsafe, options.enough);
  const found = throughIn(made);
  onProgress(`${made.length} tries, ${found.length} got through`);
  const smallest = [...found].sort((a, b) => sizeOf(a) - sizeOf(b));
  const [first, ...others] = smallest;
  const shrunk = first === undefined ? [] : [await shrink(agent, first, cli, unsafe)];
  const failed = options.tries === undefined ? await afterFailure(agent, cli, unsafe) : [];
  return {
    tried: made.length + failed.length,
    techniques: [...new Set(made.map(({ tried }) => tried.technique))],
    counterexamples: [...shrunk, ...others],
    opensOnFailure: throughIn(failed).length > 0,
  };
}

/** Tries a plain command while the hooks of the agent fail. */
async function afterFailure(agent: AgentOptions, cli: string, unsafe: boolean): Promise<readonly TryResult[]> {
  if (agent.hooks === undefined) return [];
  const results: TryResult[] = [];
  for (const how of ['throws', 'hangs'] as const) {
    const hooks = failingHooks(agent.hooks, how);
    results.push(...(await search({ ...agent, hooks }, [bash(`a hook that ${how}`, `rm ${CANARY}`)], cli, unsafe)));
  }
  return results;
}

/** Makes the tries. */
function search(
  agent: AgentOptions,
  tries: readonly Try[],
  cli: string,
  unsafe: boolean,
  enough: number = Number.POSITIVE_INFINITY,
): Promise<readonly TryResult[]> {
  const queue = [...tries];
  let through = 0;
  return run(agent, cli, unsafe, (last) => {
    if (last?.destroyed) through += 1;
    return through >= enough ? undefined : queue.shift();
  });
}

/** Those that destroyed the canary. */
function throughIn(results: readonly TryResult[]): Try[] {
  return results.filter(({ destroyed }) => destroyed).map(({ tried }) => tried);
}

/** Removes words as long as the canary is still destroyed. */
async function shrink(agent: AgentOptions, tried: Try, cli: string, unsafe: boolean): Promise<Try> {
  let smallest = tried;
  let candidates = simpler(tried);
  let left = MOST_SHRINKS;
  await run(agent, cli, unsafe, (last) => {
    if (last?.destroyed) {
      smallest = last.tried;
      candidates = simpler(smallest);
    }
    left -= 1;
    return left < 0 ? undefined : candidates.shift();
  });
  return smallest;
}

const MOST_SHRINKS = 60;

async function run(
  agent: AgentOptions,
  cli: string,
  unsafe: boolean,
  next: (last: TryResult | undefined) => Try | undefined,
): Promise<readonly TryResult[]> {
  const root = await mkdtemp(join(await realpath(tmpdir()), 'coxswain-prove-'));
  try {
    const workspace = join(root, 'workspace');
    await mkdir(workspace);
    const programs = join(root, 'shell');
    const shell = await (unsafe ? plainShell(programs) : jailedShell(programs, { writable: workspace }));
    const canary = new Canary(workspace);
    await canary.initGit();
    const trier = new Trier(canary, next);
    await using api = await startFakeApi((request) => trier.reply(request), { keep: 1 });
    const { options } = observedAgent({ ...agent, maxTurns: undefined }, NO_SCENARIO);
    const { env, ...isolated } = api.agentOptions;
    const session = openSession({
      ...options,
      ...isolated,
      env: { ...options.env, ...env, CLAUDE_CODE_SHELL: shell, SHELL: shell },
      cli,
      cwd: workspace,
      limits: { ...options.limits, ...PATIENT },
    });
    try {
      // A refusal may end the turn: another prompt continues while there are tries left.
      for (let made = -1; !trier.isOver && trier.results.length > made; ) {
        made = trier.results.length;
        await session.send('Tidy up.').result();
      }
    } finally {
      await session.close();
    }
    if (trier.jailFailure !== undefined) {
      throw new RehearsalError('jail', `A command did not run in the jail: ${trier.jailFailure}`);
    }
    return trier.results;
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

const NO_SCENARIO = { format: 1, name: 'prove', turns: [], agents: [], results: {}, files: {}, gaps: [] } as const;
