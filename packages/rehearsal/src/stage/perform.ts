import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRequest, type Reply, startFakeApi } from '@coxswain/testkit';
import { type AgentOptions, openSession } from 'coxswain';
import { listSessions } from 'coxswain/transcripts';
import { checkSandbox } from '../prove/jail.ts';
import { RehearsalError } from '../rehearsal-error.ts';
import { fromSession } from '../scenario/from-transcript.ts';
import type { Gap, RecordedResult, Scenario } from '../scenario/scenario.ts';
import type { Trace } from '../trace/trace.ts';
import { cliPath } from './cli-release.ts';
import { ModelSide } from './model-side.ts';
import { observedAgent } from './observed-agent.ts';
import { type Folders, toNames } from './paths.ts';
import { LONGEST_WAIT_MS, PATIENT } from './patience.ts';
import { performedTrace } from './performed-trace.ts';
import { play } from './play.ts';
import { type RecordedShell, realShell, recordedShell } from './recorded-shell.ts';
import { RequestTraces } from './request-traces.ts';
import { checkShell } from './shell-check.ts';
import type { Stage } from './stage.ts';
import { fillWorkspace } from './workspace.ts';

/**
 * Runs a scenario on a stage: the real CLI, whose requests get the recorded replies of the model, and whose commands get their
 * recorded results. Nothing that the recording ran is run again.
 * @throws RehearsalError if the stage cannot run, or if a command could run for real
 */
export async function perform(scenario: Scenario, stage: Stage = {}): Promise<Trace> {
  const cli = await cliPath(stage.cli);
  const isReal = stage.tools === 'real';
  if (!isReal) await checkShell(cli);
  else if (stage.unsafe !== true) checkSandbox(stage.agent ?? {});
  const root = await mkdtemp(join(await realpath(tmpdir()), 'coxswain-rehearsal-'));
  try {
    return await performIn(root, scenario, stage, cli);
  } finally {
    // An exiting CLI may still write to its files.
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

async function performIn(root: string, scenario: Scenario, stage: Stage, cli: string): Promise<Trace> {
  const requests = new RequestTraces();
  let model: ModelSide | undefined;
  const reply = async (request: ApiRequest): Promise<Reply> => {
    if (model === undefined) throw new RehearsalError('agent', 'The CLI sent a request before the first prompt.');
    requests.add(request);
    return model.reply(request);
  };
  // Requests for a title or a search of the web get answers of the fake API, not those of the recording.
  await using api = await startFakeApi({ main: reply, subagent: reply }, { keep: 1 });
  const workspace = join(root, 'workspace');
  await mkdir(workspace);
  const home = await realpath(api.agentOptions.env.HOME ?? root);
  const folders: Folders = { workspace, home, recordedCwd: scenario.cwd, recordedHome: scenario.home };
  requests.name = (text) => toNames(text, folders);
  const isReal = stage.tools === 'real';
  const shell = await (isReal
    ? realShell(join(root, 'shell'), workspace, stage.unsafe === true)
    : recordedShell(join(root, 'shell')));
  const gaps: Gap[] = [...scenario.gaps, ...(await fillWorkspace(scenario, stage, folders))];
  model = new ModelSide(scenario, folders, shell, stage.workspace !== undefined);
  const agent = observedAgent(stage.agent ?? {}, scenario);
  const warnings: string[] = [];
  const { turnTimeoutMs = LONGEST_WAIT_MS } = stage;
  const own: AgentOptions = {
    ...agent.options,
    ...isolated(api.agentOptions, agent.options, shell),
    // Settings in the workspace come from the user's folder, or else from the recording, which must not name commands.
    ...(stage.workspace === undefined ? { settingSources: [] } : {}),
    cli,
    cwd: workspace,
    timeoutMs: turnTimeoutMs,
    limits: { ...agent.options.limits, ...PATIENT },
    onWarning: ({ code }) => warnings.push(code),
  };
  const { outcomes, failure } = await play(openSession(own), scenario, model, folders);
  if (requests.release === undefined && failure !== undefined) {
    throw new RehearsalError('agent', `The CLI sent no request: ${failure.message}`, failure);
  }
  const results = await resultsIn(api.agentOptions.configDir);
  const commands = Object.values(results).length;
  if (commands > 0 && hasBash(scenario, results) && !(await shell.wasCalled())) {
    throw new RehearsalError('unsafe', `${cli} did not use the recorded shell; the rehearsal has ended.`);
  }
  return performedTrace({
    scenario,
    stage,
    outcomes,
    results,
    model,
    seen: agent.seen,
    requests: requests.distinct,
    warnings,
    gaps: [...gaps, ...agent.gaps, ...model.gaps],
    name: requests.name,
    release: requests.release,
  });
}

/** Options that isolate the CLI from the network, the machine and the user's configuration. */
function isolated(
  { env, inheritEnv, configDir }: Pick<AgentOptions, 'env' | 'inheritEnv' | 'configDir'>,
  agent: AgentOptions,
  shell: RecordedShell,
): AgentOptions {
  const closed = 'http://127.0.0.1:9';
  return {
    env: {
      ...agent.env,
      ...env,
      ...shell.env,
      HTTP_PROXY: closed,
      HTTPS_PROXY: closed,
      NO_PROXY: '127.0.0.1,localhost',
      DISABLE_AUTOUPDATER: '1',
      ...SHORT_LIFE,
    },
    inheritEnv,
    configDir,
  };
}

/** A CLI that lives for seconds gains nothing from optimised code or the certificates of the system; without them it needs a quarter less CPU. */
const SHORT_LIFE = { BUN_JSC_useDFGJIT: '0', CLAUDE_CODE_CERT_STORE: 'bundled' };

/** The results of the calls, from the transcript that the CLI has just written. */
async function resultsIn(configDir: string): Promise<Readonly<Record<string, RecordedResult>>> {
  const results: Record<string, RecordedResult> = {};
  for (const { id } of await listSessions({ configDir })) {
    const { results: own } = await fromSession(id, { configDir }, { maxCalls: Number.POSITIVE_INFINITY }).catch(
      (error: unknown) => {
        // A session whose prompts were all blocked contains none.
        if (error instanceof RehearsalError) return { results: {} };
        throw error;
      },
    );
    Object.assign(results, own);
  }
  return results;
}

function hasBash(scenario: Scenario, results: Readonly<Record<string, RecordedResult>>): boolean {
  const replies = [...scenario.turns, ...scenario.agents].flatMap((part) => part.replies.flat());
  return replies.some(
    (block) => block.type === 'tool_use' && block.name === 'Bash' && results[block.id]?.outcome === 'ran',
  );
}
