import type { Approval, Conversation, Diff, Entry, Hunk, QueueInfo, ToolEntry } from '../../src/api.ts';
import type { Stage } from './staged-server.ts';
import { sampleCost as cost, sampleStats } from './staged-stats.ts';
import { sampleTurn } from './staged-turn.ts';

/** Samples for the staged server: conversations, transcripts, approvals and figures like those of a working day. */
export function sampleStage(count: number, now: number): Stage {
  const conversations = Array.from({ length: count }, (_, at) => sampleConversation(at, now));
  const transcripts = new Map(conversations.map(({ id }) => [id, sampleTranscript(now)]));
  return {
    conversations,
    approvals: count === 0 ? [] : sampleApprovals(conversations, now),
    total: (id) => transcripts.get(id)?.length ?? 0,
    entry: (id, n) => transcripts.get(id)?.[n] ?? missing(n),
    turns: () => [sampleTurn(now)],
    parts: new Map(),
    stats: sampleStats(now, count > 0, { titles: TITLES, models: MODELS }),
    queues: [],
    readOnly: false,
    demo: false,
  };
}

const TITLES = [
  'Fix the flaky test in the stroke-rate module',
  'Review pull request 482: session store for Postgres',
  'Why does the nightly import take 40 minutes?',
  'Migrate the payment service to the new client',
  'Write release notes for 0.2',
  'Find the memory leak in the worker',
  'Add dark mode to the settings page',
  'حدّث صفحة التسجيل وأضف اختبارات لها',
];
const STATES = ['needs-me', 'running', 'waiting', 'idle', 'done', 'done', 'failed', 'done'] as const;
const OUTCOMES: Readonly<Record<Conversation['state'], Conversation['outcome']>> = {
  ...({ 'needs-me': 'waiting', running: null, waiting: 'waiting' } as const),
  ...({ idle: 'completed', done: 'completed', failed: 'limit' } as const),
};
const MODELS = ['claude-sonnet-4-5-20250929', 'claude-opus-4-6', 'claude-haiku-4-5-20251001'] as const;

/** A conversation for the list. */
function sampleConversation(at: number, now: number): Conversation {
  const state = at > 20 && at % 8 === 0 ? 'running' : (STATES[at % STATES.length] ?? 'done');
  return {
    id: `c${at}`,
    source: 's',
    kind: 'process',
    sessionId: null,
    title: `${TITLES[at % TITLES.length] ?? ''}${at >= TITLES.length ? ` (${at})` : ''}`,
    state,
    stateNote: state === 'waiting' ? 'rate limit until 14:05' : state === 'failed' ? 'max-turns' : null,
    outcome: OUTCOMES[state],
    lastLine: state === 'running' || state === 'needs-me' ? 'Bash npm test' : null,
    model: MODELS[at % MODELS.length] ?? null,
    cost: cost(0.0184 * (1 + (at % 17))),
    startedAt: now - 600_000 - at * 60_000,
    updatedAt: now - at * 47_000,
    parent: null,
    key: null,
    cwd: '/srv/rowing',
    file: null,
    gitBranch: 'main',
    entries: 20,
    turns: 1 + (at % 5),
    approvals: state === 'needs-me' ? 1 : 0,
    warnings: at % 9 === 3 ? 1 : 0,
    errors: state === 'failed' ? 1 : 0,
    actions: ['send', 'steer', 'interrupt', 'fork', 'rename', 'close'],
  };
}

/** An entry of the main conversation. */
export function entryOf<E extends object>(
  n: number,
  at: number,
  entry: E,
): E & { n: number; at: number; turn: string; parent: null; depth: 0 } {
  return { n, at, turn: 't1', parent: null, depth: 0, ...entry };
}

export function whole(text: string): { text: string; length: number; more: null } {
  return { text, length: text.length, more: null };
}

function missing(n: number): Entry {
  return entryOf(n, 0, { kind: 'system', subtype: 'missing', text: '', detail: null });
}

/** A successful tool call, unless the fields override it. */
export function toolCall(fields: Partial<ToolEntry> & Pick<ToolEntry, 'name' | 'argument'>): ToolEntry {
  return {
    kind: 'tool',
    id: `toolu_${fields.name}`,
    input: whole(JSON.stringify({ command: fields.argument }, null, 2)),
    state: 'ok',
    result: whole('ok'),
    diff: null,
    subagent: null,
    asked: null,
    plan: null,
    startedAt: null,
    endedAt: null,
    durationMs: 1_240,
    waitedMs: 0,
    ...fields,
  };
}

/** A transcript with one entry of every kind. */
function sampleTranscript(now: number): Entry[] {
  const start = now - 90_000;
  const sub = { parent: 'toolu_Agent', depth: 1 } as const;
  const parts: object[] = [
    {
      kind: 'system',
      subtype: 'init',
      text: 'Claude Code 2.1.325 · sonnet-4-5 · /srv/rowing · 14 tools',
      detail: whole('{}'),
    },
    {
      kind: 'prompt',
      text: whole(
        'One test has been failing since the last change to the stroke rate. Find out why and fix it.\n\nKeep the change small.',
      ),
      attachments: 0,
      from: 'user',
      by: null,
    },
    {
      kind: 'thinking',
      text: whole('A failing test, and a hint: the rate. First see what fails, then read the code that counts.'),
      streaming: false,
      durationMs: 3_100,
    },
    { kind: 'text', text: whole('I will run the tests first.'), model: MODELS[0], streaming: false },
    toolCall({
      name: 'Bash',
      argument: 'npm test',
      state: 'failed',
      durationMs: 4_210,
      result: whole('1 failed, 41 passed\n\n  stroke rate is 0 at the start'),
    }),
    toolCall({ name: 'Read', argument: 'src/stroke-rate.ts', durationMs: 34 }),
    toolCall({ name: 'Grep', argument: 'rate\\(', durationMs: 51 }),
    {
      ...toolCall({ name: 'Agent', argument: 'Find all callers of rate()', durationMs: 18_400 }),
      subagent: { type: 'Explore', description: 'Find all callers of rate()' },
    },
    { ...toolCall({ name: 'Grep', argument: 'import .*stroke-rate', durationMs: 40 }), id: 'toolu_sub1', ...sub },
    {
      kind: 'text',
      text: whole('Two callers: `dashboard.ts` and `export.ts`. Both accept `undefined`.'),
      model: MODELS[2],
      streaming: false,
      ...sub,
    },
    {
      kind: 'text',
      text: whole(
        'Found it. At the start no time has passed, so the code divides **zero by zero**:\n\n```ts\nexport const rate = (strokes: number, seconds: number) => (strokes / seconds) * 60;\n```\n\n1. `rate(0, 0)` is `NaN`\n2. the view shows `NaN` as `0`\n\n| caller | handles `undefined` |\n| --- | --- |\n| dashboard.ts | yes |\n| export.ts | yes |\n\nThe rate should be *unknown* until the first stroke.',
      ),
      model: MODELS[0],
      streaming: false,
    },
    {
      kind: 'warning',
      code: 'api-retry',
      message: 'The API answered 529; the CLI tries again in 2 s (attempt 1 of 10).',
      remedy: 'Nothing to do unless it repeats: then lower the number of sessions.',
      detail: whole('{}'),
    },
    {
      ...toolCall({ name: 'Edit', argument: 'src/stroke-rate.ts', durationMs: 88 }),
      diff: sampleDiff(),
    },
    toolCall({
      name: 'mcp__github__create_pull_request',
      argument: 'Unknown rate before the first stroke',
      state: 'asking',
      durationMs: null,
      result: null,
    }),
  ];
  return parts.map((part, n) => entryOf(n, start + n * 5_000, part) as unknown as Entry);
}

const SMALL_HUNK: Hunk = {
  oldStart: 12,
  newStart: 12,
  leftOut: null,
  lines: [
    ' /** Strokes per minute. */',
    '-export const rate = (strokes: number, seconds: number) => (strokes / seconds) * 60;',
    '+export function rate(strokes: number, seconds: number): number | undefined {',
    '+  return seconds > 0 ? (strokes / seconds) * 60 : undefined;',
    '+}',
    ' ',
    ' export const SPLIT_METRES = 500;',
  ],
};

/** A small change of one file. */
export function sampleDiff(): Diff {
  return { path: 'src/stroke-rate.ts', added: 3, removed: 1, created: false, more: null, hunks: [SMALL_HUNK] };
}

const base = {
  diff: null,
  questions: [],
  reason: null,
  blockedPath: null,
  description: null,
  agent: null,
  suggestions: [],
  fields: [],
  scopes: ['once'],
  entry: null,
  terms: null,
} as const;

/** A request to run a command in the first conversation. */
export function commandRequest(id: string, command: string, requestedAt: number): Approval {
  const call = { tool: 'Bash', argument: command, what: whole(command), input: JSON.stringify({ command }) };
  return { ...base, ...call, id, conversation: 'c0', conversationTitle: 'Row', kind: 'tool', requestedAt };
}

/** A request with questions with three options each; where specified, several can be chosen. */
export function questionRequest(id: string, multiSelect: readonly boolean[], requestedAt: number): Approval {
  const questions = multiSelect.map((several, at) => ({
    question: `Question ${at + 1}?`,
    header: '',
    multiSelect: several,
    options: [1, 2, 3].map((option) => ({ label: `Option ${at + 1}.${option}`, description: '' })),
  }));
  return { ...commandRequest(id, '', requestedAt), kind: 'question', tool: 'AskUserQuestion', input: null, questions };
}

/** A request to approve a plan. */
export function planRequest(id: string, plan: string, requestedAt: number): Approval {
  return { ...commandRequest(id, plan, requestedAt), kind: 'plan', tool: 'ExitPlanMode', input: null };
}

function sampleApprovals(conversations: readonly Conversation[], now: number): Approval[] {
  const first = conversations[0];
  if (first === undefined) return [];
  const bash: Approval = {
    ...base,
    id: 'a1',
    conversation: first.id,
    conversationTitle: first.title,
    kind: 'tool',
    tool: 'Bash',
    argument: 'git push origin fix/stroke-rate',
    what: whole('git push origin fix/stroke-rate'),
    input: '{\n  "command": "git push origin fix/stroke-rate"\n}',
    description: 'Push the branch with the fix',
    reason: 'No rule allows this command.',
    suggestions: [
      { rule: 'Bash(git push:*)', destination: 'this session', scope: 'session' },
      { rule: 'Bash(git push:*)', destination: '.claude/settings.local.json', scope: 'always' },
    ],
    scopes: ['once', 'session', 'always'],
    requestedAt: now - 42_000,
  };
  const second = conversations[1];
  if (second === undefined) return [bash];
  const ask = {
    conversation: second.id,
    conversationTitle: second.title,
    argument: '',
    what: whole(''),
    input: null,
    requestedAt: now - 20_000,
  };
  return [
    bash,
    {
      ...base,
      ...ask,
      id: 'a2',
      kind: 'question',
      tool: 'AskUserQuestion',
      questions: [
        {
          question: 'Which database should the session store use?',
          header: 'Database',
          multiSelect: false,
          options: [
            { label: 'Postgres', description: 'what the fleet already uses' },
            { label: 'SQLite', description: 'no server, one file' },
          ],
        },
      ],
    },
    {
      ...base,
      ...ask,
      id: 'a3',
      kind: 'plan',
      tool: 'ExitPlanMode',
      what: whole(
        '## Plan\n\n1. Add a `Store` interface.\n2. Implement it for Postgres.\n3. Test both with the **same** contract.',
      ),
      requestedAt: now - 8_000,
    },
  ];
}

/** A queue with this number of waiting turns. */
export function sampleQueue(queued: number): QueueInfo {
  const nothing = { ended: {}, pauses: [], heldBack: [], unserved: [], workers: [], waiting: [], dead: [] };
  return { ...nothing, id: 'q', source: 's', label: 'Pool', state: 'open', slots: 4, running: 1, parked: 0, queued };
}
