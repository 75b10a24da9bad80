// The reference page is generated from the comments and tables in this file: run `npm run docs` after a change.

/** The names of the spans. In the GenAI conventions, a name follows: of the agent, the model or the tool. */
export const spanNames = {
  /** One turn, one query, or one turn of a subagent: from its prompt to its end, including the time in the queue. */
  agent: 'invoke_agent',
  /** One model answer: from its input (the prompt, or the last tool result) to the last block of the answer. */
  chat: 'chat',
  /** One tool call: from the model's request to its result, including the wait for permission. */
  tool: 'execute_tool',
  /** One permission request: from the question to the answer. */
  permission: 'coxswain.permission',
  /** Background work other than a subagent, such as a command. It can continue after its turn. */
  task: 'coxswain.task',
  /** One CLI process of a session, from before its start to its exit. The CLI's own spans have it as their parent, and turns link to it. */
  cli: 'coxswain.cli',
  /** A turn is submitted to a fleet (PRODUCER). */
  submit: 'fleet.submit',
  /** A worker of a fleet runs a turn (CONSUMER); it links to `fleet.submit`. */
  turn: 'fleet.turn',
} as const;

/** The names of the span events. */
export const eventNames = {
  /** On `invoke_agent`: the CLI has started the turn, which waited until then. */
  started: 'coxswain.turn.started',
  /** On `invoke_agent`: the caller added to the prompt. */
  steered: 'coxswain.turn.steered',
  /** On `invoke_agent`: the CLI died, and the prompt is sent again. */
  replayed: 'coxswain.turn.replayed',
  /** On `invoke_agent`: the CLI retries a request to the API. */
  retry: 'coxswain.api.retry',
  /** On `invoke_agent`, or on `coxswain.cli` between turns: a warning, by its code. */
  warning: 'coxswain.warning',
} as const;

/** The names of the attributes. */
export const attributeNames = {
  /** `invoke_agent`, `chat` or `execute_tool`. */
  operation: 'gen_ai.operation.name',
  /** Always `anthropic`. */
  provider: 'gen_ai.provider.name',
  /** The requested model. */
  requestModel: 'gen_ai.request.model',
  /** The model that answered. */
  responseModel: 'gen_ai.response.model',
  /** The id of the answer. */
  responseId: 'gen_ai.response.id',
  /** Why the model stopped; only with `includePartialMessages`. */
  finishReasons: 'gen_ai.response.finish_reasons',
  /** The id of the conversation: the `session.id` of Coxswain, also on the CLI's own spans. */
  conversation: 'gen_ai.conversation.id',
  /** The agent: the option `agent`, the type of a subagent, or `claude-code`. */
  agent: 'gen_ai.agent.name',
  /** The id of a subagent's task. */
  agentId: 'gen_ai.agent.id',
  /** The tool. */
  tool: 'gen_ai.tool.name',
  /** The id of the tool call. */
  toolCall: 'gen_ai.tool.call.id',
  /** Always `function`. */
  toolType: 'gen_ai.tool.type',
  /** All input tokens, including those read from and written to the cache. On a turn it is the sum; on an answer the count at its start. */
  inputTokens: 'gen_ai.usage.input_tokens',
  /** Output tokens. On an answer only with `includePartialMessages`: without it, the CLI reports only the sum of the turn. */
  outputTokens: 'gen_ai.usage.output_tokens',
  /** Input tokens that were read from the cache. */
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  /** Input tokens that were written to the cache. */
  cacheCreation: 'gen_ai.usage.cache_creation.input_tokens',
  /** Of `gen_ai.client.token.usage`: `input` or `output`. */
  tokenType: 'gen_ai.token.type',
  /** Why it failed: the `code` of the error, the kind of the outcome (`max-turns`, `budget`, …), `tool_error`, or `cut-off` for spans that were open when the CLI exited. */
  errorType: 'error.type',
  /** The kind of the outcome of a turn: `completed`, `interrupted`, `max-turns`, … */
  outcome: 'coxswain.outcome',
  /** The id of the turn. */
  turn: 'coxswain.turn.id',
  /** True for a turn that the CLI started on its own, after background work. */
  background: 'coxswain.turn.background',
  /** How long the turn or the job waited until the CLI started it, in seconds. */
  waited: 'coxswain.turn.waited',
  /** The cost of the turn in US dollars, at list prices. */
  cost: 'coxswain.cost.usd',
  /** False if the CLI exited before it reported everything: the cost is at least this much. */
  costComplete: 'coxswain.cost.complete',
  /** The id of the run; all turns of a session share it. */
  run: 'coxswain.run.id',
  /** The number of the CLI process in its session, from 0; each restart adds 1. */
  incarnation: 'coxswain.cli.incarnation',
  /** The slot in the pool. */
  slot: 'coxswain.pool.slot',
  /** The key of the conversation in a pool or a fleet. */
  key: 'coxswain.key',
  /** The job of the pool. */
  job: 'coxswain.pool.job',
  /** `queued` or `running`. */
  jobState: 'coxswain.pool.job.state',
  /** What was decided: `allow`, `deny`, `timeout`, … */
  decision: 'coxswain.decision',
  /** What decided a permission: `canUseTool`, `answerPermission`, or `coxswain` if neither did in time. */
  decidedBy: 'coxswain.permission.by',
  /** The event of a hook. */
  hookEvent: 'coxswain.hook.event',
  /** The code of a warning. */
  warning: 'coxswain.warning.code',
  /** The kind of background work, as reported by the CLI. */
  taskType: 'coxswain.task.type',
  /** How background work ended, as reported by the CLI. */
  taskStatus: 'coxswain.task.status',
  /** In a fleet: the number of times that a worker has taken over the conversation. */
  epoch: 'coxswain.fleet.epoch',
  /** In a fleet: the number of the attempt, from 1. */
  attempt: 'coxswain.fleet.attempt',
  /** The process id of the CLI. */
  pid: 'process.pid',
  /** The exit code of the CLI. */
  exitCode: 'process.exit.code',
  /** The HTTP status that caused the CLI to retry a request. */
  status: 'http.response.status_code',
  /** Only with `content`: the prompt. */
  inputMessages: 'gen_ai.input.messages',
  /** Only with `content`: the text of an answer. */
  outputMessages: 'gen_ai.output.messages',
  /** Only with `content`: the input of a tool. */
  toolArguments: 'gen_ai.tool.call.arguments',
  /** Only with `content`: the result of a tool. */
  toolResult: 'gen_ai.tool.call.result',
} as const;

/** The buckets that the conventions recommend. */
const SECONDS: readonly number[] = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
/** Buckets for agents and for requests to people, which may take hours. */
const LONG_SECONDS: readonly number[] = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400];
const TOKENS: readonly number[] = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** The definition of a metric. */
export interface MetricSpec {
  readonly name: string;
  readonly kind: 'histogram' | 'counter' | 'up-down counter' | 'gauge';
  readonly unit: string;
  readonly description: string;
  readonly buckets?: readonly number[];
  /** `false`: the CLI measures the same, so it is not recorded with `cliTelemetry: 'cli'`. */
  readonly withCli: boolean;
}

/** The keys of all metrics. */
export type MetricName = RecordedMetric | 'jobs';

/** Metrics that are recorded as events happen; the others are read when they are exported. */
export type RecordedMetric =
  | ('tokens' | 'chat' | 'agent' | 'tool' | 'cost' | 'sessions')
  | ('waiting' | 'waited' | 'restarts' | 'warnings' | 'permission' | 'hook');

/** The metrics. */
export const metricSpecs: Readonly<Record<MetricName, MetricSpec>> = {
  tokens: {
    name: 'gen_ai.client.token.usage',
    kind: 'histogram',
    unit: '{token}',
    description: 'Tokens of a turn, by model and type.',
    buckets: TOKENS,
    withCli: false,
  },
  chat: {
    name: 'gen_ai.client.operation.duration',
    kind: 'histogram',
    unit: 's',
    description: 'How long a model answer took.',
    buckets: SECONDS,
    withCli: false,
  },
  agent: {
    name: 'gen_ai.invoke_agent.duration',
    kind: 'histogram',
    unit: 's',
    description: 'How long a turn took, from the time the CLI started it.',
    buckets: LONG_SECONDS,
    withCli: true,
  },
  tool: {
    name: 'gen_ai.execute_tool.duration',
    kind: 'histogram',
    unit: 's',
    description: 'How long a tool call took, including its permission request.',
    buckets: LONG_SECONDS,
    withCli: false,
  },
  cost: {
    name: 'coxswain.cost.usd',
    kind: 'counter',
    unit: 'USD',
    description: 'Cost of turns and background work, by model, at list prices.',
    withCli: false,
  },
  sessions: {
    name: 'coxswain.sessions.open',
    kind: 'up-down counter',
    unit: '{session}',
    description: 'Open sessions.',
    withCli: true,
  },
  waiting: {
    name: 'coxswain.turns.waiting',
    kind: 'up-down counter',
    unit: '{turn}',
    description: 'Turns that the CLI has not started.',
    withCli: true,
  },
  waited: {
    name: 'coxswain.turn.wait',
    kind: 'histogram',
    unit: 's',
    description: 'How long turns waited until the CLI started them.',
    buckets: LONG_SECONDS,
    withCli: true,
  },
  restarts: {
    name: 'coxswain.restarts',
    kind: 'counter',
    unit: '{restart}',
    description: 'Restarts of the CLI of a session.',
    withCli: true,
  },
  warnings: {
    name: 'coxswain.warnings',
    kind: 'counter',
    unit: '{warning}',
    description: 'Warnings, by code.',
    withCli: true,
  },
  permission: {
    name: 'coxswain.permission.wait',
    kind: 'histogram',
    unit: 's',
    description: 'How long permission requests waited for their answer, by tool and decision.',
    buckets: LONG_SECONDS,
    withCli: true,
  },
  hook: {
    name: 'coxswain.hook.duration',
    kind: 'histogram',
    unit: 's',
    description: 'How long hooks took, including the time in the queue, by event and decision.',
    buckets: SECONDS,
    withCli: true,
  },
  jobs: {
    name: 'coxswain.pool.jobs',
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs of an instrumented pool that are queued or running.',
    withCli: true,
  },
};
