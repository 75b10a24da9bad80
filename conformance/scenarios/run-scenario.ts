import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asApiScript, inMemoryCli, scriptedCli, startFakeApi } from '@coxswain/testkit';
import type { AgentOptions } from 'coxswain';
import type { Transport } from 'coxswain/transport';
import { kindOf } from '../../packages/testkit/test/scripted/kind-of.ts';
import { isolatedHome } from '../harness/isolated-home.ts';
import { processesOf } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type Host, hostWith, type Scenario } from './scenario.ts';
import { PlainChild, tapped, type WireTap } from './wire.ts';

/** The kinds of frames a CLI sent in a scenario, run by run, each with its exit code at the end. */
export type Trace = readonly string[];

/** Plays a scenario in memory. */
export function inMemory(scenario: Scenario): Promise<Trace> {
  const { transport } = inMemoryCli(scenario.agent);
  return new Stage(transport).play(scenario, { cwd: '/scripted' });
}

/** Plays a scenario as a process. */
export async function asProcess(scenario: Scenario): Promise<Trace> {
  await using cli = await scriptedCli(scenario.agent);
  return await new Stage(() => new PlainChild(cli.path)).play(scenario, { inheritEnv: false });
}

/** Plays a scenario on a release of the real CLI, with the fake API answering according to the script. */
export async function onRealCli(scenario: Scenario, version: string): Promise<Trace> {
  const stage = new Stage(() => new PlainChild(realCli(version)));
  const { main, subagent, aside } = asApiScript(scenario.agent);
  const patient: typeof subagent = async (request) => {
    if (scenario.subagentsWaitFor !== undefined) await stage.until(scenario.subagentsWaitFor);
    return subagent(request);
  };
  const gated: typeof main = async (request) => {
    if (scenario.gated === true) await stage.opened;
    return main(request);
  };
  await using api = await startFakeApi({ main: gated, subagent: patient, aside });
  await using home = await isolatedHome(api.url);
  const env = home.env({ CLAUDE_CODE_MAX_RETRIES: '2' });
  const kinds = await stage.play(scenario, { cwd: home.project, inheritEnv: false, env });
  await waitUntil(() => processesOf(home.root).length === 0, { what: 'the processes to exit', timeoutMs: 20_000 });
  if (api.problems.length > 0) throw new Error(api.problems.join('\n'));
  return kinds;
}

/** Where a scenario is played, and everything that is sent and received. */
class Stage {
  readonly #transport: () => Transport;
  readonly #taps: WireTap[] = [];
  /** Resolves when the API may answer. */
  readonly opened: Promise<void>;
  #open: () => void = () => {};

  constructor(transport: () => Transport) {
    this.#transport = transport;
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  async play({ play }: Scenario, options: AgentOptions): Promise<Trace> {
    const transport = (): Transport => {
      const tap: WireTap = { frames: [], exit: undefined };
      this.#taps.push(tap);
      return tapped(this.#transport(), tap);
    };
    const touch = async (name: string): Promise<void> => {
      if (options.env) await writeFile(join(String(options.cwd), name), '');
    };
    const until: Host['until'] = (...what) => this.until(...what);
    await play(hostWith({ ...options, transport }, { until, touch, letSpeak: () => this.#open() }));
    const left = (): boolean => this.#taps.every(({ exit }) => exit !== undefined);
    await waitUntil(left, { what: 'the CLI to exit', timeoutMs: 20_000 });
    return this.#taps.flatMap(({ frames, exit }) => [...frames.map(kindOf), `exit ${exit?.exitCode ?? exit?.signal}`]);
  }

  async until(kind: string, times = 1): Promise<void> {
    const seen = (): number =>
      this.#taps.flatMap(({ frames }) => frames.map(kindOf)).filter((each) => each === kind).length;
    await waitUntil(() => seen() >= times, { what: `${kind} (${times})`, timeoutMs: 40_000 });
  }
}
