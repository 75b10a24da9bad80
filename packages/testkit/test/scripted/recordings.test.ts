import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import type { Script } from '../../src/scripted/script.ts';
import { script } from '../../src/scripted/script.ts';
import type { TurnScript } from '../../src/scripted/turn.ts';
import { kindOf } from './kind-of.ts';
import { missingFields } from './missing-fields.ts';
import { type Recording, recording } from './recording.ts';
import { Rehearsal } from './rehearsal.ts';

/** Fields of the real CLI that our frames omit, and why. */
const exceptions: readonly { readonly path: RegExp; readonly why: string }[] = [
  { path: /^control_response.*\.aliases$/, why: 'the few listed commands have no aliases' },
  {
    path: /^user\.tool_use_result\.(toolsUsed|harness\w+|toolStats)/,
    why: 'the harness of a subagent is not scripted',
  },
  { path: /^user\.message\.content\[\]\.content\[\]/, why: 'the texts of subagents differ' },
];

const hello = (turn: TurnScript): TurnScript => turn.say('Hello from fake API #5');
const bash = (command = 'echo hi'): ((turn: TurnScript) => TurnScript) => {
  return (turn) => turn.say('Calling tool.').useTool('Bash', { command }).say('Hello from fake API #5');
};
const write = (turn: TurnScript): TurnScript =>
  turn.say('Calling tool.').useTool('Write', { file_path: 'out.txt', content: 'orig' }).say('Hello from fake API #5');
const wrong = [{ a: 'str' }, '/a: must be number'] as const;

/** A script for each recording that does what the fake API made the real CLI do. */
const scripts: Readonly<Record<string, Script>> = {
  'A-oneshot-ok': script().otherwise(hello),
  'A-max-turns-1': script().otherwise(bash()),
  'A-max-budget': script().otherwise(bash()),
  'A-no-api-key': script().otherwise((turn) => turn.notLoggedIn()),
  'A-err-429-max-retries-2': script().otherwise((turn) => turn.apiError(429, { retries: 2, retryDelayMs: 1000 })),
  'A-bad-resume-uuid': script().sessions().otherwise(hello),
  'A-tool-denied-no-prompter': script().otherwise((turn) =>
    turn
      .say('Calling tool.')
      .useTool('Write', { file_path: 'x.txt', content: 'hi' }, { permission: 'ask' })
      .say('Hello from fake API #5'),
  ),
  'H-json-schema-ok': script().otherwise((turn) => turn.structuredOutput({ a: 42 })),
  'H-json-schema-invalid-then-ok': script().otherwise((turn) =>
    turn.rejectedOutput(...wrong).structuredOutput({ a: 7 }),
  ),
  'H-json-schema-never2': script().otherwise((turn) => turn.rejectedOutput(...wrong, 5).structuredOutputFails()),
  'H-partial-text-thinking-tool': script()
    .onPrompt('THINK', (turn) =>
      turn
        .think('Let me think about it.')
        .say('Calling tool.')
        .useTool('Bash', { command: 'echo hi' })
        .say('Hello from fake API #823'),
    )
    .otherwise((turn) => turn.thinkRedacted().say('Hello from fake API #824')),
  'H-subagent-default': script().otherwise((turn) =>
    turn
      .say('Calling tool.')
      .useAgent({ description: 'sub', prompt: 'SUBPROMPT' }, (sub) =>
        sub.useTool('Bash', { command: 'echo insub' }).say('Hello from fake API #870'),
      )
      .say('Hello from fake API #871'),
  ),
  'F-eof-with-background-task': script().otherwise((turn) =>
    turn
      .say('Calling tool.')
      .runInBackground('sleep 8; echo late', { runsMs: 8000 }, hello)
      .say('Hello from fake API #693'),
  ),
  'I-sigint-oneshot': script().otherwise((turn) => turn.silence()),
  'B-basic-initialize-two-turns': script().otherwise(hello),
  'B-user-uuid': script().otherwise(hello),
  'B-queue-three': script()
    .onPrompt('first', (turn) => turn.wait(200).say('Hello from fake API #120'))
    .otherwise(hello),
  'C-pre-deny': script().otherwise(bash()),
  'C-pre-continue-false': script().otherwise(bash()),
  'C-pre-error': script().otherwise(bash()),
  'C-pre-ask-stdio': script().otherwise(bash()),
  'C-pre-noanswer-default-timeout': script().otherwise(bash()),
  'C-stop-continue-false': script().otherwise(hello),
  'C-ups-additionalContext': script().otherwise(hello),
  'C-interrupt-during-hook': script().onPrompt('TOOL', bash()).otherwise(hello),
  'C-eof-hook-pending': script().otherwise(bash()),
  'D-deny-message': script().otherwise(write),
  'D-allow-modified': script().otherwise(write),
  'D-updatedPermissions-session': script().otherwise((turn) =>
    turn
      .useTool('Write', { file_path: 'out.txt', content: '1' })
      .useTool('Write', { file_path: 'out2.txt', content: '2' })
      .say('script done #473'),
  ),
  'E-initialize-sdkMcpServers': script().otherwise((turn) =>
    turn.say('Calling tool.').useTool('mcp__calc__add', { a: 2, b: 3 }).say('Hello from fake API #554'),
  ),
  'F-interrupt-streaming': script()
    .onPrompt('SLOW', (turn) => turn.say('Hello from fake API #636', { everyMs: 300 }))
    .otherwise((turn) => turn.say('Hello from fake API #638')),
  'F-interrupt-bash': script()
    .onPrompt('sleep 20', (turn) =>
      turn.say('Calling tool.').useTool('Bash', { command: 'sleep 20; echo done' }, { durationMs: 20_000 }),
    )
    .otherwise(hello),
  'F-end-session': script().otherwise(hello),
  'F-set-model-echo': script().otherwise(hello),
  'F-interrupt-cancel-queued': script().otherwise((turn) => turn.wait(400).say('Hello from fake API #7')),
  'B-initialize-twice': script().otherwise(hello),
  'C-two-hooks-one-matcher': script().otherwise(bash()),
  'C-pre-noanswer-timeout2': script().otherwise(bash()),
  'C-ups-noanswer-timeout2': script().otherwise(hello),
  'C-eof-before-hook': script().otherwise(bash()),
  'D-eof-before-ask': script().otherwise(write),
  'D-dontAsk': script().otherwise(write),
  'D-plan-mode-exitplan': script().otherwise((turn) =>
    turn.say('Calling tool.').useTool('ExitPlanMode', { plan: 'do x' }).say('Hello from fake API #506'),
  ),
  'E-init-error': script().otherwise((turn) =>
    turn.say('Calling tool.').useTool('mcp__calc__add', { a: 2, b: 3 }).say('Hello from fake API #602'),
  ),
};

/** When the host closed stdin, if not after everything else. */
type StdinEnds = 'at once' | 'when asked' | 'last';
const stdinEnds: Readonly<Record<string, StdinEnds>> = {
  'C-eof-before-hook': 'at once',
  'C-eof-hook-pending': 'when asked',
  'D-eof-before-ask': 'at once',
};

describe.each(Object.entries(scripts))('%s', (name, played) => {
  const recorded = recording(name);
  const ends = stdinEnds[name] ?? 'last';

  it('[K-1] sends the same kinds of frames in the same order and exits with the same code', () => {
    const rehearsal = replay(recorded, played, ends);
    expect(rehearsal.frames.map(kindOf)).toEqual(fromCli(recorded).map(kindOf));
    expect(rehearsal.exitCode).toBe(recorded.exitCode);
  });

  it('[K-1] omits no field that the real CLI sends', () => {
    const rehearsal = replay(recorded, played, ends);
    const missing = fromCli(recorded).flatMap((frame, index) =>
      missingFields(frame, rehearsal.frames[index], nameOf(frame)).filter(
        (path) => !exceptions.some((exception) => exception.path.test(path)),
      ),
    );
    expect([...new Set(missing)]).toEqual([]);
  });
});

/** Plays the host's side of a recording against a script: each line as soon as the output before it has arrived. */
function replay(recorded: Recording, played: Script, stdinEnds: StdinEnds): Rehearsal {
  const rehearsal = new Rehearsal(played, recorded.argv, recorded.env);
  const recordedIds = fromCli(recorded).flatMap(requestId);
  let expected = 0;
  for (const { from, frame } of recorded.lines) {
    if (from === 'cli') {
      expected += 1;
      continue;
    }
    while (rehearsal.frames.length < expected && rehearsal.tick());
    rehearsal.send(withOurId(frame, recordedIds, rehearsal.frames.flatMap(requestId)));
  }
  const reached = (): boolean => {
    if (stdinEnds === 'at once') return true;
    return stdinEnds === 'when asked' ? rehearsal.frames.some(isHookRequest) : rehearsal.frames.length >= expected;
  };
  while (!reached() && rehearsal.tick());
  if (recorded.argv.includes('SLOW:400 hi')) rehearsal.handle({ event: 'signal', signal: 'SIGINT' });
  rehearsal.handle({ event: 'input-end' });
  return rehearsal.finish();
}

function fromCli(recorded: Recording): JsonObject[] {
  return recorded.lines.filter(({ from }) => from === 'cli').map(({ frame }) => frame);
}

function isHookRequest(frame: JsonObject): boolean {
  return kindOf(frame).startsWith('control_request hook_callback');
}

function requestId(frame: JsonObject): string[] {
  return frame.type === 'control_request' ? [String(frame.request_id)] : [];
}

/** An answer that names the request by its id in this run. */
function withOurId(frame: JsonObject, recorded: readonly string[], ours: readonly string[]): JsonObject {
  if (frame.type !== 'control_response') return frame;
  const response = frame.response as JsonObject;
  return { ...frame, response: { ...response, request_id: ours[recorded.indexOf(String(response.request_id))] } };
}

function nameOf(frame: JsonObject): string {
  return frame.type === 'system' ? `system ${frame.subtype}` : String(frame.type);
}
