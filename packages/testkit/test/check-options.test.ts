import { isCoxswainError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import {
  agentRequest,
  apiError,
  asApiScript,
  expectThat,
  faults,
  inMemoryCli,
  recording,
  replaying,
  script,
  scriptedCli,
  startFakeApi,
  storeContract,
  type TurnScript,
  text,
  thinking,
  toolUse,
  transportContract,
  usage,
} from '../src/index.ts';

/** Accepts values that the types forbid but JavaScript, JSON and casts allow. */
// biome-ignore lint/suspicious/noExplicitAny: stands for values that the compiler has not checked
const given = (value: unknown): any => value;

const turn = (build: (turn: TurnScript) => TurnScript): unknown => script().otherwise(build);

describe('an unknown option', () => {
  it.each<[name: string, call: () => unknown, message: string]>([
    [
      'recording',
      () => recording('x', given({ secret: ['s3cr3t'] })),
      'recording().secret: is not a known field. Did you mean secrets?',
    ],
    [
      'replaying',
      () => replaying('x', given({ mtch: 'loose' })),
      'replaying().mtch: is not a known field. Did you mean match?',
    ],
    [
      'onPrompt',
      () => script().onPrompt('x', (t) => t, given({ time: 1 })),
      'onPrompt().time: is not a known field. Did you mean times?',
    ],
    ['otherwise', () => script().otherwise((t) => t, given({ inrun: 1 })), 'Did you mean inRun?'],
    ['atStart', () => script().atStart((t) => t, given({ run: 1 })), 'atStart().run: is not a known field'],
    [
      'versionOutput',
      () => script().versionOutput('x', given({ exit: 1 })),
      'versionOutput().exit: is not a known field',
    ],
    ['fault', () => script().fault(faults.crlf(), given({ at: 'hook' })), 'fault().at: is not a known field'],
    [
      'onRequest',
      () => script().onRequest('set_model', given({ eror: 'no' })),
      "onRequest('set_model').eror: is not a known field",
    ],
    ['say', () => turn((t) => t.say('x', given({ evryMs: 1 }))), 'say().evryMs: is not a known field'],
    ['think', () => turn((t) => t.think('x', given({ sign: 'x' }))), 'think().sign: is not a known field'],
    ['useTool', () => turn((t) => t.useTool('Bash', {}, given({ permision: 'ask' }))), 'Did you mean permission?'],
    [
      'useTools',
      () => turn((t) => t.useTools([given({ name: 'Bash', input: {}, error: true })])),
      '.error: is not a known field',
    ],
    ['elicits', () => turn((t) => t.useTool('a', {}, given({ elicits: { mesage: 'x' } }))), 'Did you mean message?'],
    [
      'useAgent',
      () => turn((t) => t.useAgent(given({ description: 'x', promt: 'x' }), (s) => s)),
      'Did you mean prompt?',
    ],
    ['runInBackground', () => turn((t) => t.runInBackground('x', given({ runMs: 1 }))), 'Did you mean runsMs?'],
    ['apiRetry', () => turn((t) => t.apiRetry(529, given({ attempt: 2 }))), 'Did you mean attempts?'],
    ['rateLimited', () => turn((t) => t.rateLimited(given({ resetAt: 1 }))), 'Did you mean resetsAt?'],
    ['compact', () => turn((t) => t.compact(given({ sumary: 'x' }))), 'Did you mean summary?'],
    ['result', () => turn((t) => t.result(given({ cost: 1 }))), 'result().cost: is not a known field'],
    [
      'apiError of a turn',
      () => turn((t) => t.apiError(500, given({ retry: 1 }))),
      'apiError().retry: is not a known field',
    ],
    ['crash', () => turn((t) => t.crash(given({ signl: 'SIGKILL' }))), 'Did you mean signal?'],
    ['flood', () => faults.flood(1, given({ byte: 1 })), 'Did you mean bytes?'],
    ['endlessLine', () => faults.endlessLine(given({ size: 1 })), 'faults.endlessLine().size: is not a known field'],
    ['text', () => text('x', given({ chunks: 1 })), 'text().chunks: is not a known field'],
    ['thinking', () => thinking('x', given({ sig: 'x' })), 'thinking().sig: is not a known field'],
    ['toolUse', () => toolUse('Bash', {}, given({ ID: 'x' })), 'Did you mean id?'],
    ['storeContract', () => storeContract(given({ open: () => {}, wihtout: [] })), 'Did you mean without?'],
    [
      'transportContract',
      () => transportContract(given({ open: () => {}, timeout: 1 })),
      '.timeout: is not a known field',
    ],
    [
      'agentRequest',
      () => agentRequest(given({ steps: [], args: [], files: [] }), given({ folder: 'x' })),
      '.folder: is not',
    ],
    ['usage', () => usage(given({ inputTokens: 1 })), 'Did you mean input_tokens?'],
    ['apiError', () => apiError(500, given({ time: 2 })), 'Did you mean times?'],
  ])('[K-8] is refused by %s with a suggestion', (_, call, message) => {
    expect(refusalOf(call)).toContain(message);
  });

  it('[K-8] is refused by scriptedCli and startFakeApi', async () => {
    const agent = script().otherwise((t) => t.say('x'));
    await expect(scriptedCli(agent, given({ recordENV: true }))).rejects.toThrow('Did you mean recordEnv?');
    await expect(startFakeApi([], given({ fallbak: text('x') }))).rejects.toThrow('Did you mean fallback?');
    await expect(startFakeApi(given({ mian: [] }))).rejects.toThrow('Did you mean main?');
    await using api = await startFakeApi();
    expect(refusalOf(() => api.waitForRequest(() => true, given({ timeout: 1 })))).toContain('is not a known field');
  });
});

describe('an argument of the wrong kind', () => {
  it.each<[name: string, call: () => unknown, message: string]>([
    [
      'recording',
      () => recording('x', given({ secrets: 's3cr3t' })),
      'recording().secrets: must be an array of strings.',
    ],
    ['recording of nothing', () => recording(given(undefined)), 'recording(file): must be a string'],
    ['replaying', () => replaying('x', given({ match: 'lose' })), "replaying().match: must be 'strict' or 'loose'."],
    ['useTool', () => turn((t) => t.useTool('Bash', {}, given({ permission: 'never' }))), "must be 'auto' or 'allow'"],
    [
      'useTool without an input',
      () => turn((t) => t.useTool('Bash', given('ls'))),
      "useTool('Bash', input): must be an object.",
    ],
    ['fault', () => script().fault(given('crlf')), 'fault(fault): must be made with faults.'],
    ['when', () => script().fault(faults.crlf(), given({ when: 'reslt' })), 'fault().when: must be one of start'],
    ['inMemoryCli', () => inMemoryCli(given({})), 'inMemoryCli(script): must be what script() returns.'],
    ['asApiScript', () => asApiScript(given(undefined)), 'asApiScript(script): must be what script() returns.'],
    ['options', () => recording('x', given(null)), 'recording(): must be given an object.'],
  ])('[K-8] is refused by %s', (_, call, message) => {
    expect(refusalOf(call)).toContain(message);
  });

  it('[K-8] is refused if it is a turn that its function does not return', () => {
    expect(() => turn(given(() => {}))).toThrow('must return the turn');
  });
});

describe('a matcher', () => {
  const matchers = Object.keys(expectThat([]).not);

  it.each(matchers)('[K-8] %s refuses a subject of the wrong kind, and so does its negation', (name) => {
    for (const subject of [undefined, null, 'text', 42, {}, [42], [{ type: 'user' }, 42], Promise.resolve([])]) {
      const expectations = given(expectThat)(subject);
      const args =
        name === 'toHaveToolResult' || name === 'toHaveTurn' ? [{}] : name === 'toHaveEndedWith' ? ['budget'] : ['x'];
      expect(() => expectations[name](...args), `${name} of ${String(subject)}`).toThrow(TypeError);
      expect(() => expectations.not[name](...args), `not.${name} of ${String(subject)}`).toThrow(TypeError);
    }
  });

  it('[K-8] refuses a list of different kinds', () => {
    const run = { argv: [], prompts: [], tools: [], contexts: [] };
    expect(() => given(expectThat)([run, { type: 'user' }]).not.toHaveRunTool('Bash')).toThrow('runs and messages');
  });

  it.each<[name: string, args: readonly unknown[], message: string]>([
    ['toHaveToolResult', [{ txt: 'x' }], 'toHaveToolResult().txt: is not a known field. Did you mean text?'],
    ['toHaveTurn', [{ tools: 'Bash' }], 'toHaveTurn().tools: is not a known field. Did you mean tool?'],
    ['toHaveEndedWith', ['complete'], 'toHaveEndedWith(kind): must be'],
    ['toHaveEndedWith', ['budget', { costUsd: 1 }], "toHaveEndedWith('budget').costUsd: is not a known field"],
    ['toHaveRunTool', [undefined], 'toHaveRunTool(name): must be the name of a tool or a regular expression.'],
    ['toHaveRunTool', ['Bash(rm *)'], 'toHaveRunTool(name): must be the name of a tool'],
    ['toHaveRunTool', ['Bash', null], 'toHaveRunTool(name, input): must be an object'],
    ['toHaveRunTool', ['Bash', 'rm'], 'toHaveRunTool(name, input): must be an object'],
    ['toHaveRefusedTool', ['Bash', Number.NaN], 'toHaveRefusedTool(name, input): must be an object'],
    ['toHaveUsedTool', ['Bash', [{ command: 'rm' }]], 'toHaveUsedTool(name, input): must be an object'],
    ['toHaveAskedAbout', ['Bash', /rm/], 'toHaveAskedAbout(name, input): must be an object'],
    ['toHaveOfferedTool', ['Bash', 'Runs'], 'toHaveOfferedTool(name, definition): must be an object'],
    ['toHaveTurn', [{ tool: 'Bash', input: 'rm' }], 'toHaveTurn().input: must be an object'],
    ['toHaveEndedWith', ['budget', null], "toHaveEndedWith('budget', details): must be an object"],
    ['toHaveUsedTool', [''], 'toHaveUsedTool(name): must be'],
    ['toHaveOfferedTool', [42], 'toHaveOfferedTool(name): must be'],
    ['toHaveSaid', [undefined], 'toHaveSaid(text): must be'],
    ['toHaveCompleted', [42], 'toHaveCompleted(text): must be'],
    ['toHaveModel', [undefined], 'toHaveModel(text): must be'],
    ['toHaveBeenStartedWith', [], 'must be at least one argument'],
  ])('[K-8] %s refuses an argument that can never match: %j', (name, args, message) => {
    for (const expectations of [given(expectThat)([]), given(expectThat)([]).not]) {
      expect(refusalOf(() => expectations[name](...args))).toContain(message);
    }
  });
});

function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (isCoxswainError(error, 'options')) return error.message;
    throw error;
  }
  return 'nothing was refused';
}
