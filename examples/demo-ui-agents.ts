import { type Script, script, type TurnScript } from '@coxswain/testkit';

/** An agent of the demo, and the prompt it starts with. */
export interface DemoAgent {
  readonly prompt: string;
  readonly agent: Script;
}

/** Milliseconds between words: about reading speed. */
const READABLE_MS = 30;

/** Agents that each show another feature of the inspector: work, permissions, costs. `paceMs` 0 plays them without delays. */
export function demoAgents(paceMs: number = READABLE_MS): readonly DemoAgent[] {
  const ms = (length: number): number => Math.round(length * Math.min(1, paceMs / READABLE_MS));
  const agent = (model: string, work: (turn: TurnScript) => TurnScript, first: RegExp): Script =>
    script()
      .model(model)
      .pace(paceMs)
      .onPrompt(first, work, { times: 1 })
      .onPrompt(/\bask me\b/i, (turn) => question(turn).say('Good choice.').result({ costUsd: 0.0041 }))
      .onPrompt(/\bplan\b/i, (turn) => plan(turn).say('Starting with step one.').result({ costUsd: 0.0052 }))
      .onPrompt(/\bcount\b/i, (turn) => turn.say(NUMBERS, { everyMs: Math.max(20, paceMs) }).result({ costUsd: 0.002 }))
      .otherwise((turn) => turn.think('A follow-up.').say(FOLLOW_UP).result({ costUsd: 0.0031 }));
  return [
    { prompt: BUG, agent: agent('claude-sonnet-4-5', (turn) => bugHunt(turn, ms), /stroke rate/) },
    { prompt: REVIEW, agent: agent('claude-opus-4-6', (turn) => review(turn, ms), /pull request/) },
    { prompt: STORE, agent: agent('claude-opus-4-6', (turn) => storePlan(turn, ms), /session store/) },
    { prompt: IMPORT, agent: agent('claude-sonnet-4-5', (turn) => slowImport(turn, ms), /nightly import/) },
    { prompt: ARABIC, agent: agent('claude-haiku-4-5', (turn) => arabic(turn, ms), /./) },
    { prompt: NOTES, agent: agent('claude-haiku-4-5', (turn) => notes(turn, ms), /release notes/) },
    { prompt: LEAK, agent: agent('claude-sonnet-4-5', (turn) => leak(turn, ms), /memory leak/) },
  ];
}

type Ms = (length: number) => number;

const BUG =
  'One test has been failing since the last change to the stroke rate. Find out why and fix it.\n\nKeep the change small.';
const REVIEW = 'Review pull request 482 and say what would break for people who upgrade.';
const STORE = 'Plan the session store for Postgres. Change nothing yet.';
const IMPORT = 'Why does the nightly import take 40 minutes?';
const ARABIC = 'حدّث صفحة التسجيل وأضف اختبارات لها';
const NOTES = 'Write release notes for 0.2 from the commits since 0.1.';
const LEAK = 'Find the memory leak in the worker.';
const FOLLOW_UP = 'Done. The change is small, and the tests pass: **42 of 42**.';
const NUMBERS = Array.from({ length: 400 }, (_, at) => String(at + 1)).join(' ');

function bugHunt(turn: TurnScript, ms: Ms): TurnScript {
  const file = '/srv/rowing/src/stroke-rate.ts';
  return turn
    .think('A failing test, and a hint: the rate. First see what fails, then read the code that counts.')
    .say('I will run the tests first.')
    .useTool(
      'Bash',
      { command: 'npm test', description: 'Run the tests' },
      {
        result: '✗ stroke rate is 0 at the start\n\n1 failed, 41 passed',
        isError: true,
        durationMs: ms(1_400),
        permission: 'allow',
      },
    )
    .useTools([
      { name: 'Read', input: { file_path: file }, result: RATE_FILE, durationMs: ms(120), permission: 'allow' },
      {
        name: 'Grep',
        input: { pattern: 'rate\\(' },
        result: 'src/dashboard.ts:31\nsrc/export.ts:12',
        durationMs: ms(180),
        permission: 'allow',
      },
    ])
    .useAgent(
      {
        description: 'Find the callers of rate()',
        prompt: 'Who calls rate() and what do they do with NaN?',
        type: 'Explore',
      },
      (sub) =>
        sub
          .useTool(
            'Grep',
            { pattern: 'import .*stroke-rate' },
            { result: '2 files', durationMs: ms(300), permission: 'allow' },
          )
          .say('Two callers: `dashboard.ts` and `export.ts`. Both accept `undefined`.'),
    )
    .say(CAUSE)
    .useTool(
      'Edit',
      { file_path: file, old_string: OLD_RATE, new_string: NEW_RATE },
      { durationMs: ms(90), permission: 'ask' },
    )
    .useTool(
      'Bash',
      { command: 'npm test', description: 'Run the tests again' },
      { result: '42 passed', durationMs: ms(1_300), permission: 'allow' },
    )
    .say('All 42 tests pass. The rate is unknown before the first stroke, and both callers already handle that.')
    .useTool(
      'Bash',
      { command: 'git push origin fix/stroke-rate', description: 'Push the branch with the fix' },
      { result: 'To github.com:rowing/app\n * [new branch] fix/stroke-rate', durationMs: ms(900), permission: 'ask' },
    )
    .say('Pushed to `fix/stroke-rate`.')
    .result({ costUsd: 0.0384, durationMs: 41_000, inputTokens: 2_140, outputTokens: 1_870 });
}

const OLD_RATE = 'export const rate = (strokes: number, seconds: number) =>\n  (strokes / seconds) * 60;';
const NEW_RATE =
  'export function rate(strokes: number, seconds: number): number | undefined {\n  return seconds > 0 ? (strokes / seconds) * 60 : undefined;\n}';
const RATE_FILE = `/** Strokes per minute. */\n${OLD_RATE}\n`;
const CAUSE = `Found it. At the start no time has passed, so the code divides **zero by zero**:

1. \`rate(0, 0)\` is \`NaN\`
2. the dashboard shows \`NaN\` as \`0\`

| caller | handles \`undefined\` |
| --- | --- |
| dashboard.ts | yes |
| export.ts | yes |

The rate should be *unknown* until the first stroke.`;

function review(turn: TurnScript, ms: Ms): TurnScript {
  return question(
    turn
      .think('First the diff, then who uses what it changes.')
      .useTool(
        'Bash',
        { command: 'gh pr diff 482' },
        { result: '+312 −87 in 14 files', durationMs: ms(2_200), permission: 'allow' },
      )
      .say('The change is sound. One thing is open: the default of `restart` changes, and that is not in the notes.'),
  )
    .say('Then I list it as a **breaking change** and propose the sentence for the notes.')
    .result({ costUsd: 0.1127, durationMs: 23_000, inputTokens: 8_420, outputTokens: 960 });
}

function question(turn: TurnScript): TurnScript {
  const options = [
    { label: 'Breaking change', description: 'people must do something when they upgrade' },
    { label: 'Behaviour note', description: 'most people will not notice' },
  ];
  const asked = { question: 'How should the new default be announced?', header: 'Notes', options, multiSelect: false };
  return turn.useTool('AskUserQuestion', { questions: [asked] }, { permission: 'ask' });
}

function storePlan(turn: TurnScript, ms: Ms): TurnScript {
  return plan(
    turn
      .think('An interface first, so that the tests are the same for every database.')
      .useTool(
        'Glob',
        { pattern: 'src/store/**' },
        { result: 'src/store/memory.ts\nsrc/store/files.ts', durationMs: ms(400), permission: 'allow' },
      ),
  )
    .say('I start with the interface.')
    .result({ costUsd: 0.0611, durationMs: 12_000 });
}

function plan(turn: TurnScript): TurnScript {
  const steps =
    '## Plan\n\n1. Extract a `Store` interface from the two stores.\n2. Implement it for Postgres, one table.\n3. Run the **same** contract tests on all three.\n\nNothing is migrated automatically.';
  return turn.useTool('ExitPlanMode', { plan: steps }, { permission: 'ask' });
}

function slowImport(turn: TurnScript, ms: Ms): TurnScript {
  return turn
    .think('Measure before guessing.')
    .say('I start the import with a profiler in the background and read the code meanwhile.')
    .runInBackground('npm run import -- --profile', { runsMs: ms(45_000) }, (later) =>
      later
        .say('The profile is there: **38 of 40 minutes** are one query without an index.')
        .result({ costUsd: 0.021 }),
    )
    .apiRetry(529, { attempts: 1, delayMs: ms(1_500) })
    .say(`${NUMBERS.slice(0, 700)}\n\nThat was the list of slow rows. I wait for the profile.`, {
      everyMs: Math.max(1, ms(60)),
    })
    .result({ costUsd: 0.0871, durationMs: 64_000, inputTokens: 3_300, outputTokens: 2_210 });
}

function arabic(turn: TurnScript, ms: Ms): TurnScript {
  return turn
    .useTool(
      'Read',
      { file_path: '/srv/rowing/src/pages/signup.tsx' },
      { result: 'export function Signup() {}', durationMs: ms(150), permission: 'allow' },
    )
    .say('حدّثت صفحة التسجيل وأضفت **أربعة اختبارات** لها. كلها تنجح: `npm test signup`.')
    .result({ costUsd: 0.0092, durationMs: 9_000 });
}

function notes(turn: TurnScript, ms: Ms): TurnScript {
  return turn
    .useTool(
      'Bash',
      { command: 'git log --oneline v0.1..' },
      { result: '42 commits', durationMs: ms(300), permission: 'allow' },
    )
    .say(
      '## 0.2\n\n- one way to open a session: `openSession()`\n- sessions restart automatically\n- the inspector: watch and control agents in a browser',
    )
    .result({ costUsd: 0.0147, durationMs: 15_000, outputTokens: 640 });
}

function leak(turn: TurnScript, ms: Ms): TurnScript {
  return turn
    .think('Heap snapshots, before and after a thousand jobs.')
    .useTool(
      'Bash',
      { command: 'node --heapsnapshot-signal=SIGUSR2 worker.js' },
      { result: 'written', durationMs: ms(1_800), permission: 'allow' },
    )
    .say('The listeners of finished jobs stay. I need more turns to prove it.')
    .maxTurns();
}
