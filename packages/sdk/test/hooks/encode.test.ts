import { describe, expect, it } from 'vitest';
import { outcomesLackedBy } from '../../src/cli/feature-gate.ts';
import { type EncodedHook, encodeHookOutcome, type HookFacts, strongestBlock } from '../../src/hooks/encode.ts';
import { knownHookEvents } from '../../src/hooks/fields.ts';
import { OBEYED_SINCE } from '../../src/hooks/obeyed.ts';
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
} from '../../src/hooks/outcome.ts';
import { linesOf } from '../messages/recordings.ts';
import { sentAnswers } from './sent-answers.ts';

const GO_ON = {};
const block = { decision: 'block', reason: 'R' };
const end = { continue: false, stopReason: 'R' };
const all = { ...block, ...end };

/** What each event is sent for deny('R'); the others get all general fields. */
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

const RECENT: HookFacts = { lacks: outcomesLackedBy('2.1.325') };
const OLD: HookFacts = { lacks: outcomesLackedBy('2.1.197') };
/** Has the oldest release that runs sessions, and one that does not say which it is. */
const IGNORANT: readonly (readonly [string, string | undefined])[] = [
  ['1.0.86', '1.0.86'],
  ['an unknown release', undefined],
];

/** Events that `continue: false` is known to end the turn of, or that have none to end. */
const endsByItself = ['UserPromptSubmit', 'PostToolUse', 'PostToolBatch', 'Stop', 'PreModelSwitch', 'PostModelSwitch'];
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

describe.each(knownHookEvents)('what a hook of %s says', (event) => {
  it('[H-4] nothing and {} go on', () => {
    for (const nothing of [undefined, null, {}]) {
      expect(encode(event, nothing)).toEqual({
        ok: true,
        decision: 'continue',
        response: GO_ON,
        warnings: [],
        interrupt: false,
      });
    }
  });

  it('[H-4] deny is the strongest block the event has', () => {
    const { response, warnings, interrupt, decision } = encode(event, deny('R'));
    expect(response).toEqual(denials[event] ?? all);
    expect(decision).toBe('deny');
    expect(interrupt).toBe(false);
    expect(warnings.map(({ code }) => code)).toEqual(unstoppable.includes(event) ? ['decision-not-expressible'] : []);
    expect(strongestBlock(event, 'R', { stopping: false })).toEqual(response);
  });

  it('[H-4] stop ends the turn, by an interrupt where the CLI would go on', () => {
    for (const obeysStop of [true, false]) {
      const { response, interrupt, warnings } = encode(event, stopTurn('R'), obeysStop ? RECENT : OLD);
      expect(response).toMatchObject(end);
      const obeyed = endsByItself.includes(event) || (obeysStop && endsInNewReleases.includes(event));
      expect(interrupt).toBe(!obeyed);
      expect(warnings).toEqual([]);
    }
  });

  it('[H-4] stop prevents what has not happened yet, and makes nothing go on', () => {
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

  it('[H-4] context reaches the model or is a warning', () => {
    const { response, warnings } = encode(event, addContext('T'));
    const taken = takesContext.includes(event);
    expect(response).toEqual(taken ? specific(event, { additionalContext: 'T' }) : GO_ON);
    expect(warnings.map(({ code }) => code)).toEqual(taken ? [] : ['decision-not-expressible']);
  });

  it('[H-4] allow never stands in the way', () => {
    const { response, warnings } = encode(event, allow());
    const expected: Readonly<Record<string, object>> = {
      PreToolUse: specific('PreToolUse', { permissionDecision: 'allow' }),
      PreModelSwitch: specific('PreModelSwitch', { permissionDecision: 'allow' }),
      PermissionRequest: specific('PermissionRequest', { decision: { behavior: 'allow' } }),
    };
    expect(response).toEqual(expected[event] ?? GO_ON);
    expect(warnings).toHaveLength(unstoppable.includes(event) ? 1 : 0);
  });

  it('[H-4, H-5] modify, replaceOutput, ask and defer go on with a warning where they have no place', () => {
    const outcomes = {
      modify: modifyInput({ a: 1 }),
      replaceOutput: replaceOutput('x'),
      ask: askUser('R'),
      defer: deferTool(),
    };
    const places: Readonly<Record<string, readonly string[]>> = {
      modify: ['PreToolUse'],
      replaceOutput: ['PostToolUse'],
      ask: ['PreToolUse', 'PreModelSwitch', 'PermissionRequest'],
      defer: ['PreToolUse'],
    };
    for (const [name, outcome] of Object.entries(outcomes)) {
      const { response, warnings } = encode(event, outcome);
      if (places[name]?.includes(event)) {
        expect(warnings).toEqual([]);
      } else {
        expect(response).toEqual(GO_ON);
        expect(warnings).toMatchObject([{ code: 'decision-not-expressible', context: { event } }]);
      }
    }
  });

  it('[H-4] an answer names the event, and only where the CLI lets it', () => {
    const noSpecificOutput = [
      ...['SessionEnd', 'StopFailure', 'PreCompact', 'PostCompact', 'ConfigChange', 'InstructionsLoaded'],
      ...['WorktreeRemove', 'DirectoryAdded', 'TeammateIdle', 'TaskCreated', 'TaskCompleted'],
    ];
    const outcomes = [
      allow({ reason: 'R', context: 'C' }),
      deny('R'),
      askUser(),
      addContext('T'),
      stopTurn('R'),
      deferTool(),
      modifyInput({}),
    ];
    for (const outcome of outcomes) {
      const { response } = encode(event, outcome);
      if (noSpecificOutput.includes(event)) expect(response).not.toHaveProperty('hookSpecificOutput');
      else if ('hookSpecificOutput' in response) {
        expect(response.hookSpecificOutput).toMatchObject({ hookEventName: event });
      }
    }
  });
});

describe('what a hook of PreToolUse says', () => {
  it.each([
    [allow({ reason: 'fine' }), { permissionDecision: 'allow', permissionDecisionReason: 'fine' }],
    [allow({ updatedInput: { a: 1 } }), { permissionDecision: 'allow', updatedInput: { a: 1 } }],
    [allow({ context: 'C' }), { permissionDecision: 'allow', additionalContext: 'C' }],
    [askUser(), { permissionDecision: 'ask' }],
    [askUser('R'), { permissionDecision: 'ask', permissionDecisionReason: 'R' }],
    [modifyInput({ a: 1 }), { updatedInput: { a: 1 } }],
    [deferTool(), { permissionDecision: 'defer' }],
  ])('[H-4, H-5] %j', (outcome, fields) => {
    expect(encode('PreToolUse', outcome)).toMatchObject({ response: specific('PreToolUse', fields), warnings: [] });
  });

  it('[H-4] a deny that interrupts ends the turn as a stop does', () => {
    expect(encode('PreToolUse', deny('R', { interrupt: true }), RECENT)).toMatchObject({
      decision: 'deny',
      response: { ...end, ...denials.PreToolUse },
      interrupt: false,
    });
    expect(encode('PreToolUse', deny('R', { interrupt: true }), OLD).interrupt).toBe(true);
  });

  it('[H-4] a field it has no place for is a warning, the rest counts', () => {
    const { response, warnings } = encode('PreToolUse', allow({ updatedPermissions: [] }));
    expect(response).toEqual(specific('PreToolUse', { permissionDecision: 'allow' }));
    expect(warnings).toMatchObject([{ context: { what: 'allow.updatedPermissions' } }]);
  });

  it('[H-4] a deny without a usable reason is still a deny', () => {
    for (const broken of [{ decision: 'deny' }, { decision: 'deny', reason: 7 }, { decision: 'deny', reason: '' }]) {
      expect(encode('PreToolUse', broken).response).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(/./) },
      });
    }
  });
});

describe.each(IGNORANT)('what a hook says to %s', (_, version) => {
  const facts: HookFacts = { lacks: outcomesLackedBy(version) };

  it.each([
    [modifyInput({ command: 'ls' }), 'modify()', OBEYED_SINCE['PreToolUse:modify']],
    [allow({ updatedInput: {} }), 'allow({ updatedInput })', OBEYED_SINCE['PreToolUse:allow:updatedInput']],
    [askUser('R'), 'ask()', OBEYED_SINCE['PreToolUse:ask']],
    [deferTool(), 'defer()', OBEYED_SINCE['PreToolUse:defer']],
  ])('[H-4] %j refuses the tool, which would run as if nothing had been said', (outcome, what, required) => {
    const { decision, response, warnings } = encode('PreToolUse', outcome, facts);
    expect(decision).toBe('deny');
    const permissionDecisionReason = expect.stringContaining(`${what}, which needs Claude Code ${required}`);
    expect(response).toEqual(specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason }));
    expect(warnings).toMatchObject([
      { code: 'decision-not-expressible', context: { event: 'PreToolUse', what, required } },
    ]);
  });

  it('[H-4] replaceOutput ends the turn: a block would leave the output beside it', () => {
    const { decision, response, warnings, interrupt } = encode('PostToolUse', replaceOutput('b'), facts);
    expect(decision).toBe('stop');
    expect(response).toEqual({ continue: false, stopReason: expect.stringContaining('2.1.121') });
    expect(interrupt).toBe(false);
    expect(warnings).toMatchObject([{ code: 'decision-not-expressible', context: { required: '2.1.121' } }]);
  });

  it('[H-4] context is sent, with a warning; nothing depends on it', () => {
    for (const outcome of [addContext('C'), allow({ context: 'C' })]) {
      const { response, warnings } = encode('PreToolUse', outcome, facts);
      expect(response).toMatchObject({ hookSpecificOutput: { additionalContext: 'C' } });
      expect(warnings).toMatchObject([{ context: { what: 'context()', required: '2.1.9' } }]);
    }
    expect(encode('UserPromptSubmit', addContext('C'), facts).warnings).toEqual([]);
  });

  it.each([
    ['PreToolUse', { permissionDecision: 'ask' }],
    ['PreToolUse', { permissionDecision: 'defer' }],
    ['PreToolUse', { permissionDecision: 'allow', updatedInput: {} }],
    ['PreToolUse', { updatedInput: {} }],
    ['PreToolUse', { additionalContext: 'C' }],
    ['PostToolUse', { updatedToolOutput: 'b' }],
  ])("[H-4] %s %j in the CLI's own form is sent as it is, with a warning", (event, fields) => {
    const { response, warnings } = encode(event, specific(event, fields), facts);
    expect(response).toEqual(specific(event, fields));
    expect(warnings).toMatchObject([{ code: 'hook-output-suspect', message: expect.stringMatching(/before 2\.\d/) }]);
    expect(encode(event, specific(event, fields)).warnings).toEqual([]);
  });

  it('[H-4] what every release obeys is left as it is', () => {
    for (const outcome of [allow(), deny('R'), {}]) {
      expect(encode('PreToolUse', outcome, facts)).toEqual(encode('PreToolUse', outcome));
    }
    const updated = allow({ updatedInput: { a: 1 } });
    expect(encode('PermissionRequest', updated, facts)).toEqual(encode('PermissionRequest', updated));
  });
});

describe('what a hook of PermissionRequest says', () => {
  it('[H-4] allow takes an input and rules along, but neither reason nor context', () => {
    const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
    const outcome = allow({ updatedInput: { a: 1 }, updatedPermissions, reason: 'R', context: 'C' });
    const { response, warnings } = encode('PermissionRequest', outcome);
    const decision = { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions };
    expect(response).toEqual(specific('PermissionRequest', { decision }));
    expect(warnings.map(({ context }) => context.what)).toEqual(['allow.context', 'allow.reason']);
  });

  it('[H-4] deny can interrupt, with our help on older releases', () => {
    const decision = { behavior: 'deny', message: 'R', interrupt: true };
    const old = encode('PermissionRequest', deny('R', { interrupt: true }), OLD);
    expect(old).toMatchObject({ response: specific('PermissionRequest', { decision }), interrupt: true });
    const recent = encode('PermissionRequest', deny('R', { interrupt: true }), RECENT);
    expect(recent.interrupt).toBe(false);
  });

  it('[H-4] ask leaves it to whoever is asked', () => {
    expect(encode('PermissionRequest', askUser('R'))).toMatchObject({
      decision: 'askUser',
      response: {},
      warnings: [],
    });
  });
});

describe('what a hook of PostToolUse says', () => {
  it('[H-4] replaceOutput puts a result of the same structure in place', () => {
    const input = { tool_response: { stdout: 'a' } };
    const same = encode('PostToolUse', replaceOutput({ stdout: 'b' }), { ...RECENT, input });
    expect(same).toMatchObject({
      response: specific('PostToolUse', { updatedToolOutput: { stdout: 'b' } }),
      warnings: [],
    });
    const other = encode('PostToolUse', replaceOutput('b'), { ...RECENT, input });
    expect(other.warnings).toMatchObject([{ code: 'decision-not-expressible' }]);
  });

  it('[H-4] replaceOutput may put a text in place of the blocks of an MCP tool', () => {
    const input = { tool_response: [{ type: 'text', text: 'a' }] };
    expect(encode('PostToolUse', replaceOutput('b'), { ...RECENT, input }).warnings).toEqual([]);
  });

  it('[H-4] a deny that wants to interrupt is told to be a stop', () => {
    const { response, warnings } = encode('PostToolUse', deny('R', { interrupt: true }));
    expect(response).toEqual(block);
    expect(warnings).toMatchObject([{ context: { what: 'deny.interrupt' } }]);
    expect(encode('UserPromptSubmit', deny('R', { interrupt: true })).warnings).toEqual([]);
  });
});

describe("an answer in the CLI's own form", () => {
  it('[H-4] passes as it is, an async one too', () => {
    const raw = { systemMessage: 'S', suppressOutput: true, newField: [1] };
    expect(encode('Stop', raw)).toMatchObject({ decision: 'raw', response: raw, warnings: [] });
    const async = { async: true, asyncTimeout: 5_000 };
    expect(encode('PreToolUse', async)).toMatchObject({ decision: 'async', response: async, warnings: [] });
  });

  it('[H-4] gets the name of its event, without which the CLI drops it', () => {
    const { response, warnings } = encode('PreToolUse', { hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(response).toEqual(specific('PreToolUse', { permissionDecision: 'deny' }));
    expect(warnings).toEqual([]);
  });

  it.each([
    ['the name of another event', specific('PostToolUse', { permissionDecision: 'deny' })],
    ['a decision nobody knows', specific('PreToolUse', { permissionDecision: 'denied' })],
    ['a verdict nobody knows', { decision: 'deny' }],
    ['continue: false alone, which lets the tool run', { continue: false, stopReason: 'R' }],
    ['a specific output that is none', { hookSpecificOutput: 'deny' }],
  ])('[H-4] warns of %s', (_what, raw) => {
    expect(encode('PreToolUse', raw).warnings).toMatchObject([{ code: 'hook-output-suspect' }]);
  });

  it('[H-4] corrects the name of another event', () => {
    const raw = specific('PostToolUse', { permissionDecision: 'deny' });
    expect(encode('PreToolUse', raw).response).toEqual(specific('PreToolUse', { permissionDecision: 'deny' }));
  });

  it('[H-4] warns of a specific output where the CLI allows none', () => {
    expect(encode('PreCompact', { ...block, ...specific('PreCompact', {}) }).warnings).toMatchObject([
      { code: 'hook-output-suspect' },
    ]);
  });
});

describe('a result that cannot be used', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  it.each([
    ['a text', 'deny'],
    ['a list', [deny('R')]],
    ['true', true],
    ['an outcome nobody knows', { outcome: 'explode' }],
    ['an outcome that is no word', { outcome: 1 }],
    ['the name of an inherited property', { outcome: 'toString' }],
    ['an answer, which is for permissions', answerQuestions({})],
    ['later, which is for permissions', decideLater()],
    ['a modified input that is no object', { decision: 'modifyInput', input: 'x' }],
    ['a modified input with a cycle', modifyInput(cycle)],
    ['a modified input with a bigint', modifyInput({ n: 1n })],
    ['an allowed input with a bigint', allow({ updatedInput: { n: 1n } })],
    ['an output with a bigint', replaceOutput(1n)],
    ['an output JSON has no word for', replaceOutput(undefined)],
    ['a context that is no text', { decision: 'addContext', text: 1 }],
    ['rules that are no list', { decision: 'allow', updatedPermissions: {} }],
    ['a raw answer with a cycle', cycle],
    [
      'a raw answer whose getter throws',
      {
        get decision(): never {
          throw new Error('boo');
        },
      },
    ],
    ['a raw answer that JSON makes a text of', { a: 1, toJSON: () => 'text' }],
  ])('[H-5, H-7] is %s', (_what, result) => {
    expect(encodeHookOutcome('PreToolUse', result, RECENT)).toEqual({
      ok: false,
      problem: expect.stringMatching(/./),
    });
  });
});

describe('an event nobody knows', () => {
  it('[H-1, H-4] gets everything general, without a warning', () => {
    expect(encode('BrandNew', deny('R'))).toMatchObject({ response: all, warnings: [] });
    expect(encode('BrandNew', stopTurn('R'))).toMatchObject({ response: end, interrupt: true, warnings: [] });
    expect(encode('BrandNew', addContext('T'))).toMatchObject({
      response: specific('BrandNew', { additionalContext: 'T' }),
    });
    expect(encode('BrandNew', allow())).toMatchObject({ response: {}, warnings: [] });
    expect(encode('constructor', deny('R'))).toMatchObject({ response: all });
  });
});

describe('the end of a session', () => {
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
  ])('[H-7] answers %s with %j', (event, response) => {
    expect(strongestBlock(event, 'R', { stopping: true })).toEqual(response);
  });
});

describe('the recordings of what the real CLI obeyed', () => {
  it.each([
    ['C-pre-deny.325', 'PreToolUse', deny('DENY REASON')],
    ['C-pre-deny.197', 'PreToolUse', deny('DENY REASON')],
    ['C-pre-ask-noprompter.325', 'PreToolUse', askUser('ASK REASON')],
    ['C-post-continue-false.325', 'PostToolUse', stopTurn('STOP POST')],
    ['C-stop-continue-false.325', 'Stop', stopTurn('STOP STOP')],
    ['C-ups-additionalContext.325', 'UserPromptSubmit', addContext('CTX-UPS')],
  ])('[H-4] %s holds the very answer we send', (name, event, outcome) => {
    expect(linesOf(name).length).toBeGreaterThan(0);
    expect(sentAnswers(name)).toContainEqual(encode(event, outcome).response);
  });

  it('[H-4] C-pre-continue-false-plus-deny.325 holds a stop of PreToolUse', () => {
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
  const encoding = encodeHookOutcome(event, result, facts);
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
