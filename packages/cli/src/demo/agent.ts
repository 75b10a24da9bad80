import { type Script, script, type TurnScript } from '@coxswain/testkit';

/** The default prompt of the demo. */
export const DEMO_PROMPT =
  'One test has been failing since the last change to the stroke rate. Find out why and fix it.';

/** The settings of the demo's agent. */
export interface DemoSetting {
  /** Milliseconds between words: slow enough to read, or 0. */
  readonly paceMs: number;
  /** The id of a conversation to resume, although it does not exist. */
  readonly resume?: string | undefined;
}

/** A scripted agent that finds a small bug, can describe what it did, and counts until it is interrupted. */
export function demoAgent(setting: DemoSetting): Script {
  const ms = (length: number): number => Math.round(length * Math.min(1, setting.paceMs / READABLE_MS));
  const agent = setting.resume === undefined ? script() : script().sessions(setting.resume);
  return agent
    .pace(setting.paceMs)
    .onPrompt(/\bcount\b/i, (turn) => turn.say(NUMBERS, { everyMs: Math.max(20, setting.paceMs) }).silence())
    .onPrompt(/\bhang\b/i, (turn) => turn.ignore('interrupt', 'end_session').say('I will not stop.').silence())
    .onPrompt(/what did you|remember|again|why\b.*\?/i, (turn) =>
      turn
        .say(
          'I read src/stroke-rate.ts, where the rate is counted, and changed one line: there is no rate until time has passed.',
        )
        .result({ costUsd: 0.0031 }),
    )
    .onPrompt(/\bask me\b/i, (turn) =>
      turn
        .useTool('AskUserQuestion', { questions: [QUESTION] }, { permission: 'ask' })
        .ifRefused((refused) => refused.say('Then I choose none.'))
        .say('Good choice.'),
    )
    .onPrompt(/\bplan\b/i, (turn) =>
      turn
        .useTool('ExitPlanMode', { plan: '1. Read the code.\n2. Change one line.' }, { permission: 'ask' })
        .ifRefused((refused) => refused.say('Then I keep planning.'))
        .say('Let us go.'),
    )
    .onPrompt(/\bjson\b/i, (turn) => turn.structuredOutput({ file: 'src/stroke-rate.ts', fixed: true }))
    .otherwise((turn) => bugHunt(turn, ms).result({ costUsd: 0.0184 }));
}

function bugHunt(turn: TurnScript, ms: (length: number) => number): TurnScript {
  const file = 'src/stroke-rate.ts';
  return turn
    .think('A failing test, and a hint: the rate. First see what fails, then read the code that counts.')
    .say('I will run the tests first.')
    .useTool(
      'Bash',
      { command: 'npm test' },
      {
        result: '1 failed, 41 passed: stroke rate is 0 at the start',
        isError: true,
        durationMs: ms(1200),
        permission: 'allow',
      },
    )
    .say('One failure, in the stroke rate. Let me read it.')
    .useTools([
      {
        name: 'Read',
        input: { file_path: file },
        result: 'export const rate = (strokes, s) => (strokes / s) * 60;',
        durationMs: ms(200),
      },
      { name: 'Grep', input: { pattern: 'rate(' }, result: '3 matches in 2 files', durationMs: ms(300) },
    ])
    .think('At the start no time has passed: 0 / 0 is NaN, and NaN is shown as 0.')
    .say(
      'At the start no time has passed, so it divides zero by zero. The rate should be unknown until the first stroke.',
    )
    .useTool(
      'Edit',
      { file_path: file, old_string: '(strokes / s) * 60', new_string: 's > 0 ? (strokes / s) * 60 : undefined' },
      { durationMs: ms(100), permission: 'ask' },
    )
    .ifRefused((refused) =>
      refused
        .say('I am not allowed to change the file. The fix is one line: return no rate until time has passed.')
        .result({ costUsd: 0.0184 }),
    )
    .useTool('Bash', { command: 'npm test' }, { result: '42 passed', durationMs: ms(1200), permission: 'allow' })
    .say('All 42 tests pass. The rate is unknown before the first stroke, and both callers already handle that.');
}

/** Delay between words at about reading speed. */
export const READABLE_MS = 35;

const QUESTION = {
  question: 'Which boat?',
  header: 'Boat',
  options: [
    { label: 'Eight', description: 'eight rowers and a coxswain' },
    { label: 'Single', description: 'one rower' },
  ],
  multiSelect: false,
};

const NUMBERS = Array.from({ length: 2_000 }, (_, at) => String(at + 1)).join(' ');
