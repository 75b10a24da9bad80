import { describe, expect, it } from 'vitest';
import { knownHookEvents } from '../../src/callbacks/abilities.ts';
import {
  addContext,
  allow,
  answerQuestions,
  askUser,
  decideLater,
  deferTool,
  deny,
  modifyInput,
  replaceOutput,
  stopTurn,
} from '../../src/callbacks/decisions.ts';
import { denial, type EncodedHook, encodeHookResult, type HookFacts } from '../../src/callbacks/encode-hook.ts';
import { failureResponse } from '../../src/callbacks/hook-dispatch.ts';
import { ignoresDecision } from '../../src/cli/feature-gate.ts';
import { MINIMUM_VERSION, PINNED_VERSION } from '../../src/cli/version.ts';
import { linesOf } from '../messages/recordings.ts';
import { sentAnswers } from './sent-answers.ts';

const CONTINUE = {};
const block = { decision: 'block', reason: 'R' };
const end = { continue: false, stopReason: 'R' };
const all = { ...block, ...end };

/** The response to each event for deny('R'); the other events get all general fields. */
const denials: Readonly<Record<string, object>> = {
  PreToolUse: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'R' }),
  PostToolUse: block,
  PostToolUseFailure: block,
  PostToolBatch: block,
  PermissionRequest: specific('PermissionRequest', { decision: { behavior: 'deny', message: 'R' } }),
  UserPromptSubmit: block,
  UserPromptExpansion: block,
  Stop: block,
  SubagentStop: block,
  PreCompact: block,
  ConfigChange: block,
  PreModelSwitch: specific('PreModelSwitch', { permissionDecision: 'deny', permissionDecisionReason: 'R' }),
  Elicitation: specific('Elicitation', { action: 'decline' }),
  ElicitationResult: specific('ElicitationResult', { action: 'decline' }),
};

const RECENT: HookFacts = { ignores: (decision) => ignoresDecision(PINNED_VERSION, decision) };
const OLD: HookFacts = { ignores: (decision) => ignoresDecision('2.1.197', decision) };
/** The oldest supported release, and an unknown release. */
const TOO_OLD: readonly (readonly [string, string | undefined])[] = [
  [MINIMUM_VERSION, MINIMUM_VERSION],
  ['an unknown release', undefined],
];

/** Events whose turn ends with `continue: false`, or that have no turn. */
const endsTurn = ['UserPromptSubmit', 'PostToolUse', 'PostToolBatch', 'Stop', 'PreModelSwitch', 'PostModelSwitch'];
const endsInNewReleases = ['PreToolUse', 'PermissionRequest'];

const unstoppable = [
  ...['PermissionDenied', 'SessionStart', 'SessionEnd', 'Setup', 'StopFailure', 'SubagentStart', 'PostCompact'],
  ...['PostModelSwitch', 'Notification', 'InstructionsLoaded', 'WorktreeCreate', 'WorktreeRemove', 'CwdChanged'],
  ...['FileChanged', 'DirectoryAdded', 'MessageDisplay'],
];

const takesContext = [
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'UserPromptSubmit', 'UserPromptExpansion'],
  ...['SessionStart', 'Setup', 'Stop', 'SubagentStart', 'SubagentStop', 'PostModelSwitch', 'Notification'],
];

describe.each(knownHookEvents)('the result of a %s hook', (event) => {
  it('[H-4] undefined and {} let the action continue', () => {
    for (const nothing of [undefined, null, {}]) {
      expect(encode(event, nothing)).toEqual({
        ok: true,
        decision: 'continue',
        response: CONTINUE,
        warnings: [],
        interrupt: false,
      });
    }
  });

  it('[H-4] deny() is encoded as the strongest block of the event', () => {
    const { response, warnings, interrupt, decision } = encode(event, deny('R'));
    expect(response).toEqual(denials[event] ?? all);
    expect(decision).toBe('deny');
    expect(interrupt).toBe(false);
    expect(warnings.map(({ code }) => code)).toEqual(unstoppable.includes(event) ? ['decision-not-expressible'] : []);
    expect(denial(event, 'R')).toEqual(response);
  });

  it('[H-4] stopTurn() ends the turn, with an interrupt where the CLI would continue', () => {
    for (const supportsStop of [true, false]) {
      const { response, interrupt, warnings } = encode(event, stopTurn('R'), supportsStop ? RECENT : OLD);
      expect(response).toMatchObject(end);
      const supported = endsTurn.includes(event) || (supportsStop && endsInNewReleases.includes(event));
      expect(interrupt).toBe(!supported);
      expect(warnings).toEqual([]);
    }
  });

  it('[H-4] stopTurn() blocks a pending action and never makes the model continue', () => {
    const { response } = encode(event, stopTurn('R'));
    const prevented: Readonly<Record<string, object>> = {
      PreToolUse: denials.PreToolUse ?? {},
      PermissionRequest: specific('PermissionRequest', {
        decision: { behavior: 'deny', message: 'R', interrupt: true },
      }),
      PreModelSwitch: denials.PreModelSwitch ?? {},
      PreCompact: block,
      Elicitation: denials.Elicitation ?? {},
    };
    expect(response).toEqual({ ...end, ...prevented[event] });
  });

  it('[H-4] addContext() reaches the model or causes a warning', () => {
    const { response, warnings } = encode(event, addContext('T'));
    const taken = takesContext.includes(event);
    expect(response).toEqual(taken ? specific(event, { additionalContext: 'T' }) : CONTINUE);
    expect(warnings.map(({ code }) => code)).toEqual(taken ? [] : ['decision-not-expressible']);
  });

  it('[H-4] allow() never blocks', () => {
    const { response, warnings } = encode(event, allow());
    const expected: Readonly<Record<string, object>> = {
      PreToolUse: specific('PreToolUse', { permissionDecision: 'allow' }),
      PreModelSwitch: specific('PreModelSwitch', { permissionDecision: 'allow' }),
      PermissionRequest: specific('PermissionRequest', { decision: { behavior: 'allow' } }),
    };
    expect(response).toEqual(expected[event] ?? CONTINUE);
    expect(warnings).toHaveLength(unstoppable.includes(event) ? 1 : 0);
  });

  it('[H-4, H-5] modifyInput, replaceOutput, askUser and deferTool continue with a warning if the event cannot express them', () => {
    const decisions = {
      modifyInput: modifyInput({ a: 1 }),
      replaceOutput: replaceOutput('x'),
      askUser: askUser('R'),
      deferTool: deferTool(),
    };
    const places: Readonly<Record<string, readonly string[]>> = {
      modifyInput: ['PreToolUse'],
      replaceOutput: ['PostToolUse'],
      askUser: ['PreToolUse', 'PreModelSwitch', 'PermissionRequest'],
      deferTool: ['PreToolUse'],
    };
    for (const [name, decided] of Object.entries(decisions)) {
      const { response, warnings } = encode(event, decided);
      if (places[name]?.includes(event)) {
        expect(warnings).toEqual([]);
      } else {
        expect(response).toEqual(CONTINUE);
        expect(warnings).toMatchObject([{ code: 'decision-not-expressible', context: { event } }]);
      }
    }
  });

  it('[H-4] hookSpecificOutput names the event and is used only where the CLI allows it', () => {
    const noSpecificOutput = [
      ...['SessionEnd', 'StopFailure', 'PreCompact', 'PostCompact', 'ConfigChange', 'InstructionsLoaded'],
      ...['WorktreeRemove', 'DirectoryAdded', 'TeammateIdle', 'TaskCreated', 'TaskCompleted'],
    ];
    const decisions = [
      allow({ reason: 'R', context: 'C' }),
      deny('R'),
      askUser(),
      addContext('T'),
      stopTurn('R'),
      deferTool(),
      modifyInput({}),
    ];
    for (const decided of decisions) {
      const { response } = encode(event, decided);
      if (noSpecificOutput.includes(event)) expect(response).not.toHaveProperty('hookSpecificOutput');
      else if ('hookSpecificOutput' in response) {
        expect(response.hookSpecificOutput).toMatchObject({ hookEventName: event });
      }
    }
  });
});

describe('the result of a PreToolUse hook', () => {
  it.each([
    [allow({ reason: 'fine' }), { permissionDecision: 'allow', permissionDecisionReason: 'fine' }],
    [allow({ updatedInput: { a: 1 } }), { permissionDecision: 'allow', updatedInput: { a: 1 } }],
    [allow({ context: 'C' }), { permissionDecision: 'allow', additionalContext: 'C' }],
    [askUser(), { permissionDecision: 'ask' }],
    [askUser('R'), { permissionDecision: 'ask', permissionDecisionReason: 'R' }],
    [modifyInput({ a: 1 }), { updatedInput: { a: 1 } }],
    [deferTool(), { permissionDecision: 'defer' }],
  ])('[H-4, H-5] %j is encoded in hookSpecificOutput', (decided, fields) => {
    expect(encode('PreToolUse', decided)).toMatchObject({ response: specific('PreToolUse', fields), warnings: [] });
  });

  it('[H-4] deny() with interrupt ends the turn like stopTurn()', () => {
    expect(encode('PreToolUse', deny('R', { interrupt: true }), RECENT)).toMatchObject({
      decision: 'deny',
      response: { ...end, ...denials.PreToolUse },
      interrupt: false,
    });
    expect(encode('PreToolUse', deny('R', { interrupt: true }), OLD).interrupt).toBe(true);
  });

  it('[H-4] a field that the event cannot express causes a warning, and the other fields are used', () => {
    const { response, warnings } = encode('PreToolUse', allow({ updatedPermissions: [] }));
    expect(response).toEqual(specific('PreToolUse', { permissionDecision: 'allow' }));
    expect(warnings).toMatchObject([{ context: { what: 'allow.updatedPermissions' } }]);
  });

  it('[H-4] deny() without a usable reason still denies', () => {
    for (const broken of [{ decision: 'deny' }, { decision: 'deny', reason: 7 }, { decision: 'deny', reason: '' }]) {
      expect(encode('PreToolUse', broken).response).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(/./) },
      });
    }
  });
});

describe.each(TOO_OLD)('a hook result for %s', (_, version) => {
  const facts: HookFacts = { ignores: (decision) => ignoresDecision(version, decision) };

  it('[H-4] replaceOutput() ends the turn, because a block would keep the original output', () => {
    const { decision, response, warnings, interrupt } = encode('PostToolUse', replaceOutput('b'), facts);
    expect(decision).toBe('stopTurn');
    expect(response).toEqual({ continue: false, stopReason: expect.stringContaining('2.1.121') });
    expect(interrupt).toBe(false);
    expect(warnings).toMatchObject([{ code: 'decision-not-expressible', context: { required: '2.1.121' } }]);
  });

  it("[H-4] an output in the CLI's own format is sent unchanged, with a warning", () => {
    const raw = specific('PostToolUse', { updatedToolOutput: 'b' });
    const { response, warnings } = encode('PostToolUse', raw, facts);
    expect(response).toEqual(raw);
    expect(warnings).toMatchObject([{ code: 'hook-output-suspect', message: expect.stringMatching(/before 2\.\d/) }]);
    expect(encode('PostToolUse', raw).warnings).toEqual([]);
  });

  it('[H-4] decisions that every release supports are encoded as usual', () => {
    const input = { command: 'ls' };
    const changing = [modifyInput(input), allow({ updatedInput: input }), askUser('R'), deferTool(), addContext('C')];
    for (const decided of [allow(), deny('R'), {}, ...changing]) {
      expect(encode('PreToolUse', decided, facts)).toEqual(encode('PreToolUse', decided));
    }
    const updated = allow({ updatedInput: { a: 1 } });
    expect(encode('PermissionRequest', updated, facts)).toEqual(encode('PermissionRequest', updated));
  });
});

describe('the result of a PermissionRequest hook', () => {
  it('[H-4] allow() carries an input and permission updates, but neither reason nor context', () => {
    const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
    const decided = allow({ updatedInput: { a: 1 }, updatedPermissions, reason: 'R', context: 'C' });
    const facts = { ...RECENT, updates: { allowPermissionUpdates: true } };
    const { response, warnings } = encode('PermissionRequest', decided, facts);
    const decision = { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions };
    expect(response).toEqual(specific('PermissionRequest', { decision }));
    expect(warnings.map(({ context }) => context.what)).toEqual(['allow.context', 'allow.reason']);
  });

  it('[H-4] deny() can interrupt; older releases need an interrupt request from the SDK', () => {
    const decision = { behavior: 'deny', message: 'R', interrupt: true };
    const old = encode('PermissionRequest', deny('R', { interrupt: true }), OLD);
    expect(old).toMatchObject({ response: specific('PermissionRequest', { decision }), interrupt: true });
    const recent = encode('PermissionRequest', deny('R', { interrupt: true }), RECENT);
    expect(recent.interrupt).toBe(false);
  });

  it('[H-4] askUser() continues, so that canUseTool is called', () => {
    expect(encode('PermissionRequest', askUser('R'))).toMatchObject({
      decision: 'askUser',
      response: {},
      warnings: [],
    });
  });
});

describe('the result of a PostToolUse hook', () => {
  it('[H-4] replaceOutput() replaces an output of the same structure and warns about another structure', () => {
    const input = { tool_response: { stdout: 'a' } };
    const same = encode('PostToolUse', replaceOutput({ stdout: 'b' }), { ...RECENT, input });
    expect(same).toMatchObject({
      response: specific('PostToolUse', { updatedToolOutput: { stdout: 'b' } }),
      warnings: [],
    });
    const other = encode('PostToolUse', replaceOutput('b'), { ...RECENT, input });
    expect(other.warnings).toMatchObject([{ code: 'decision-not-expressible' }]);
  });

  it('[H-4] replaceOutput() can replace the blocks of an MCP tool with text', () => {
    const input = { tool_response: [{ type: 'text', text: 'a' }] };
    expect(encode('PostToolUse', replaceOutput('b'), { ...RECENT, input }).warnings).toEqual([]);
  });

  it('[H-4] deny() with interrupt warns that stopTurn() is needed', () => {
    const { response, warnings } = encode('PostToolUse', deny('R', { interrupt: true }));
    expect(response).toEqual(block);
    expect(warnings).toMatchObject([{ context: { what: 'deny.interrupt' } }]);
    expect(encode('UserPromptSubmit', deny('R', { interrupt: true })).warnings).toEqual([]);
  });
});

describe("a hook result in the CLI's own format", () => {
  it('[H-4] is sent unchanged, even if it is async', () => {
    const raw = { systemMessage: 'S', suppressOutput: true, newField: [1] };
    expect(encode('Stop', raw)).toMatchObject({ decision: 'raw', response: raw, warnings: [] });
    const async = { async: true, asyncTimeout: 5_000 };
    expect(encode('PreToolUse', async)).toMatchObject({ decision: 'async', response: async, warnings: [] });
  });

  it('[H-4] gets the name of its event, because the CLI drops a result without it', () => {
    const { response, warnings } = encode('PreToolUse', { hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(response).toEqual(specific('PreToolUse', { permissionDecision: 'deny' }));
    expect(warnings).toEqual([]);
  });

  it.each([
    ['the name of another event', specific('PostToolUse', { permissionDecision: 'deny' })],
    ['continue: false alone, with which the tool still runs', { continue: false, stopReason: 'R' }],
  ])('[H-4] with %s causes a warning and is sent', (_what, raw) => {
    const { decision, warnings } = encode('PreToolUse', raw);
    expect(decision).toBe('raw');
    expect(warnings).toMatchObject([{ code: 'hook-output-suspect' }]);
  });

  it('[H-4] is sent with the right event name if it names another event', () => {
    const raw = specific('PostToolUse', { permissionDecision: 'deny' });
    expect(encode('PreToolUse', raw).response).toEqual(specific('PreToolUse', { permissionDecision: 'deny' }));
  });

  it('[H-4] causes a warning if its hookSpecificOutput is not allowed by the CLI', () => {
    expect(encode('PreCompact', { ...block, ...specific('PreCompact', {}) }).warnings).toMatchObject([
      { code: 'hook-output-suspect' },
    ]);
  });
});

describe('an unusable hook result', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  it.each([
    ['a string', 'deny'],
    ['an array', [deny('R')]],
    ['true', true],
    ['answerQuestions(), which only a permission request takes', answerQuestions({})],
    ['decideLater(), which only a permission request takes', decideLater()],
    ['a hookSpecificOutput that is not an object', { hookSpecificOutput: 'deny' }],
    ['a modified input that is not an object', { decision: 'modifyInput', input: 'x' }],
    ['a modified input with a cycle', modifyInput(cycle)],
    ['a modified input with a bigint', modifyInput({ n: 1n })],
    ['an allowed input with a bigint', allow({ updatedInput: { n: 1n } })],
    ['an output with a bigint', replaceOutput(1n)],
    ['an output that JSON cannot represent', replaceOutput(undefined)],
    ['a context that is not a string', { decision: 'addContext', text: 1 }],
    ['permission updates that are not an array', { decision: 'allow', updatedPermissions: {} }],
    ['an object with an unknown decision', { decision: 'explode' }],
    ['an object with a decision that is not a string', { decision: 1 }],
    ['an object with a decision named like an inherited property', { decision: 'toString' }],
    ['the format of 0.1, which has no decision', { outcome: 'deny', reason: 'no' }],
    ['the format of canUseTool', { behavior: 'deny', message: 'no' }],
    ['an object with a misspelt field', { descision: 'deny' }],
    ['a raw result with a misspelt field beside a known one', { continue: true, decison: 'block' }],
    ['a raw result with a misspelt field for its event', specific('PreToolUse', { permissionDecison: 'deny' })],
    ['a raw result with an unknown permissionDecision', specific('PreToolUse', { permissionDecision: 'DENY' })],
    ['a raw result with a cycle', cycle],
    [
      'a raw result whose getter throws',
      {
        get decision(): never {
          throw new Error('boo');
        },
      },
    ],
    ['a raw result that JSON converts to a string', { a: 1, toJSON: () => 'text' }],
  ])('[H-5, H-7] is %s', (_what, result) => {
    expect(encodeHookResult('PreToolUse', result, RECENT)).toEqual({
      ok: false,
      problem: expect.stringMatching(/./),
    });
  });
});

describe('the result of a hook of an unknown event', () => {
  it('[H-1, H-4] uses all general fields, without a warning', () => {
    expect(encode('BrandNew', deny('R'))).toMatchObject({ response: all, warnings: [] });
    expect(encode('BrandNew', stopTurn('R'))).toMatchObject({ response: end, interrupt: true, warnings: [] });
    expect(encode('BrandNew', addContext('T'))).toMatchObject({
      response: specific('BrandNew', { additionalContext: 'T' }),
    });
    expect(encode('BrandNew', allow())).toMatchObject({ response: {}, warnings: [] });
    expect(encode('constructor', deny('R'))).toMatchObject({ response: all });
  });
});

describe('a hook request while the session stops', () => {
  it.each([
    ['PreToolUse', { ...end, ...denials.PreToolUse }],
    ['UserPromptSubmit', end],
    [
      'PermissionRequest',
      { ...end, ...specific('PermissionRequest', { decision: { behavior: 'deny', message: 'R', interrupt: true } }) },
    ],
    ['PreModelSwitch', { ...end, ...denials.PreModelSwitch }],
    ['PostToolUse', {}],
    ['Stop', {}],
    ['BrandNew', {}],
  ])('[H-7] for %s is answered with %j', (event, response) => {
    const answered = JSON.stringify(failureResponse('session-stop', event));
    expect(JSON.parse(answered.replaceAll('Blocked: the session is being stopped.', 'R'))).toEqual(response);
  });
});

describe('the recording of a result that the real CLI obeyed', () => {
  it.each([
    ['C-pre-deny.325', 'PreToolUse', deny('DENY REASON')],
    ['C-pre-deny.197', 'PreToolUse', deny('DENY REASON')],
    ['C-pre-ask-noprompter.325', 'PreToolUse', askUser('ASK REASON')],
    ['C-post-continue-false.325', 'PostToolUse', stopTurn('STOP POST')],
    ['C-stop-continue-false.325', 'Stop', stopTurn('STOP STOP')],
    ['C-ups-additionalContext.325', 'UserPromptSubmit', addContext('CTX-UPS')],
  ])('[H-4] %s contains exactly the response that the SDK sends', (name, event, decided) => {
    expect(linesOf(name).length).toBeGreaterThan(0);
    expect(sentAnswers(name)).toContainEqual(encode(event, decided).response);
  });

  it('[H-4] C-pre-continue-false-plus-deny.325 contains stopTurn() of PreToolUse', () => {
    const [sent] = sentAnswers('C-pre-continue-false-plus-deny.325');
    const { response } = encode('PreToolUse', stopTurn('R'));
    expect(sent).toEqual({
      ...response,
      stopReason: 'STOP-X',
      hookSpecificOutput: { ...denied(response), permissionDecisionReason: 'NO' },
    });
  });
});

function encode(event: string, result: unknown, facts: HookFacts = RECENT): EncodedHook {
  const encoding = encodeHookResult(event, result, facts);
  if (!encoding.ok) throw new Error(encoding.problem);
  return encoding;
}

function specific(event: string, fields: object): { hookSpecificOutput: object } {
  return { hookSpecificOutput: { hookEventName: event, ...fields } };
}

function denied(response: object): object {
  const output: unknown = Reflect.get(response, 'hookSpecificOutput');
  return typeof output === 'object' && output !== null ? output : {};
}

describe("a hook's result in the CLI's own format", () => {
  const encode = (event: string, result: unknown) =>
    encodeHookResult(event, result, { ...RECENT, input: { tool_input: { command: 'rm x' } } });

  it.each([undefined, null, [], {}, 'ls'])(
    '[H-10, P-2] does not run the original input if it sets another: %j',
    (updatedInput) => {
      const allowed = { permissionDecision: 'allow', updatedInput };
      expect(encode('PreToolUse', specific('PreToolUse', allowed))).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/updatedInput/),
      });
      expect(encode('PreToolUse', specific('PreToolUse', { updatedInput }))).toMatchObject({ ok: false });
      const answer = { decision: { behavior: 'allow', updatedInput } };
      expect(encode('PermissionRequest', specific('PermissionRequest', answer))).toMatchObject({ ok: false });
      const refused = { permissionDecision: 'deny', updatedInput };
      expect(encode('PreToolUse', specific('PreToolUse', refused))).toMatchObject({ ok: true });
    },
  );

  it('[H-10] is refused if a class computes or hides a part of it, which would be lost', () => {
    class Refusal {
      readonly suppressOutput = true;
      get hookSpecificOutput() {
        return { permissionDecision: 'deny' };
      }
    }
    class Decision {
      get permissionDecision() {
        return 'deny';
      }
    }
    const hidden = Object.defineProperty({ suppressOutput: true }, 'decision', { value: 'block', enumerable: false });
    for (const result of [new Refusal(), { hookSpecificOutput: new Decision() }, hidden])
      expect(encode('PreToolUse', result)).toMatchObject({ ok: false, problem: expect.stringMatching(/plain object/) });
  });
});
