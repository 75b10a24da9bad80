import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRequest, startFakeApi } from '@coxswain/testkit';
import { type AgentOptions, isCoxswainError, openSession, outcomeOf, type Session, type UserContent } from 'coxswain';
import { listSessions } from 'coxswain/transcripts';
import { RehearsalError } from '../rehearsal-error.ts';
import { fromSession } from '../scenario/from-transcript.ts';
import type { Gap, PromptBlock, RecordedResult, Scenario } from '../scenario/scenario.ts';
import { requestTrace } from '../trace/request-trace.ts';
import type { RequestTrace, Trace } from '../trace/trace.ts';
import { cliPath } from './cli-release.ts';
import { ModelSide } from './model-side.ts';
import { observedAgent } from './observed-agent.ts';
import { type Folders, toNames, toStage } from './paths.ts';
import { performedTrace } from './performed-trace.ts';
import { type RecordedShell, recordedShell } from './recorded-shell.ts';
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
  await checkShell(cli);
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
  await using api = await startFakeApi(
    async (request) => {
      if (model === undefined) throw new RehearsalError('agent', 'The CLI sent a request before the first prompt.');
      requests.add(request);
      return model.reply(request);
    },
    { keep: 1 },
  );
  const workspace = join(root, 'workspace');
  await mkdir(workspace);
  const home = await realpath(api.agentOptions.env.HOME ?? root);
  const folders: Folders = { workspace, home, recordedCwd: scenario.cwd, recordedHome: scenario.home };
  requests.name = (text) => toNames(text, folders);
  const shell = await recordedShell(join(root, 'shell'));
  const gaps: Gap[] = [...scenario.gaps, ...(await fillWorkspace(scenario, stage.workspace, folders))];
  model = new ModelSide(scenario, folders, shell);
  const agent = observedAgent(stage.agent ?? {}, scenario);
  const warnings: string[] = [];
  const { turnTimeoutMs = 120_000 } = stage;
  const own: AgentOptions = {
    ...agent.options,
    ...isolated(api.agentOptions, agent.options, shell),
    cli,
    cwd: workspace,
    timeoutMs: turnTimeoutMs,
    onWarning: ({ code }) => warnings.push(code),
  };
  const outcomes = await play(openSession(own), scenario, model, folders);
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
    },
    inheritEnv,
    configDir,
  };
}

/** Sends the prompts, and returns the outcome of each turn. */
async function play(session: Session, scenario: Scenario, model: ModelSide, folders: Folders): Promise<string[]> {
  const outcomes: string[] = [];
  try {
    for (const [turn, { prompt }] of scenario.turns.entries()) {
      model.begin(turn);
      outcomes.push(await send(session, contentOf(prompt, folders)));
      // A turn that ended early leaves replies: a refusal ended it, or the recording continued by itself.
      for (let rest = model.left; rest > 0 && model.left > 0; rest -= 1) await send(session, CONTINUE);
    }
    await ofAgents(model);
  } finally {
    await session.close();
  }
  return outcomes;
}

const CONTINUE = '(The recording continues here.)';

/** The kind of the outcome of a turn, or the code of its error. */
async function send(session: Session, prompt: UserContent): Promise<string> {
  try {
    return outcomeOf(await session.send(prompt).result()).kind;
  } catch (error) {
    if (isCoxswainError(error)) return error.code;
    throw error;
  }
}

/** Subagents in the background may still run when the last turn is over. */
async function ofAgents(model: ModelSide): Promise<void> {
  for (let quiet = 0, left = model.leftOfAgents; left > 0 && quiet < 20; quiet += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (model.leftOfAgents < left) quiet = 0;
    left = model.leftOfAgents;
  }
}

function contentOf(prompt: readonly PromptBlock[], folders: Folders): UserContent {
  const blocks = prompt.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: toStage(block.text, folders) }
      : { type: 'image', source: block.source },
  );
  // Blocks of a recorded prompt have the structure that the API accepted.
  return blocks as unknown as UserContent;
}

/** The results of the calls, from the transcript that the CLI has just written. */
async function resultsIn(configDir: string): Promise<Readonly<Record<string, RecordedResult>>> {
  const results: Record<string, RecordedResult> = {};
  for (const { id } of await listSessions({ configDir })) {
    const { results: own } = await fromSession(id, { configDir }, { maxCalls: Number.POSITIVE_INFINITY }).catch(() => ({
      results: {},
    }));
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

/** The distinct requests of a run, at most a few: a conversation repeats what the first one has. */
class RequestTraces {
  readonly distinct: RequestTrace[] = [];
  name: (text: string) => string = (text) => text;
  release: string | undefined;
  readonly #keys = new Set<string>();

  add(request: ApiRequest): void {
    this.release ??= /claude-cli\/(\d+\.\d+\.\d+)/.exec(String(request.headers['user-agent'] ?? ''))?.[1];
    if (this.distinct.length >= 20) return;
    const trace = requestTrace(request, request.kind === 'subagent' ? 'subagent' : 'main', this.name);
    const key = JSON.stringify(trace);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.distinct.push(trace);
  }
}
