import { expect } from 'vitest';
import { both, type Expected, type Got, type Scenario } from '../scenario.ts';

const SHELL = '$(touch /tmp/pwned) `id` "; rm -rf ~; \' && | > < * ? ! # \\ %PATH% ^&';
const UNICODE = 'Grüße 🚣\u200d♀️ \u202Eright to left\u202C \u0000'.replace('\u0000', '\uFEFF\uFFFD');
const NEWLINES = 'first\nsecond\r\nthird\u2028fourth\u2029\tfifth\x1b[31m';
const MEGABYTE = 'x'.repeat(1_000_000);

const nothingStarted = (code: string, error: object): Pick<Scenario, 'query' | 'session'> => ({
  query: { outcome: code, got: false, error },
  session: { outcome: code, got: false, error, state: 'failed' },
});
const arrives = (check: (run: Got) => void): Pick<Scenario, 'query' | 'session'> =>
  both({ outcome: 'completed', text: 'ok', got: check } satisfies Expected);
const promptIs = (text: string) => (run: Got) => expect(run.prompts[0]).toBe(text);
const flagIs = (flag: string, value: string) => (run: Got) => {
  const at = run.argv.findIndex((token) => token === flag || token.startsWith(`${flag}=`));
  const token = run.argv[at] ?? '';
  expect(token === flag ? run.argv[at + 1] : token.slice(flag.length + 1)).toBe(value);
};

/** Values with special meaning for a shell or a terminal, or beyond a length limit. */
export const optionValues: readonly Scenario[] = [
  ...Object.entries({ shell: SHELL, unicode: UNICODE, newlines: NEWLINES, dashes: '--version --help' }).flatMap(
    ([kind, value]): Scenario[] => [
      {
        id: `prompt-${kind}`,
        proves: ['C-6', 'C-7', 'C-8'],
        what: `the prompt contains ${kind}`,
        prompt: value,
        ...arrives(promptIs(value)),
      },
      {
        id: `model-${kind}`,
        proves: ['C-6'],
        what: `the name of the model contains ${kind}`,
        options: { model: value },
        ...arrives(flagIs('--model', value)),
      },
    ],
  ),
  {
    id: 'prompt-of-a-megabyte',
    proves: ['C-7', 'C-8'],
    what: 'the prompt has 1 MB',
    prompt: MEGABYTE,
    ...arrives(promptIs(MEGABYTE)),
  },
  {
    id: 'system-prompt-of-a-megabyte',
    proves: ['C-12'],
    what: 'the system prompt has 1 MB',
    options: { appendSystemPrompt: MEGABYTE },
    ...arrives(() => {}),
  },
  {
    id: 'model-of-a-megabyte',
    proves: ['C-12', 'O-4'],
    what: 'the name of the model has 1 MB, and the CLI cannot read it from a file',
    options: { model: MEGABYTE },
    ...nothingStarted('options', {}),
  },
  ...(['model', 'systemPrompt', 'cwd', 'resume'] as const).map((name): Scenario => {
    return {
      id: `nul-in-${name.toLowerCase()}`,
      proves: ['O-4'],
      what: `${name} contains NUL`,
      options: { [name]: 'a\0b' },
      ...nothingStarted('options', { problems: [expect.objectContaining({ path: name })] }),
    };
  }),
  {
    id: 'nul-in-environment',
    proves: ['O-4'],
    what: 'a value in the environment contains NUL',
    options: { env: { A: 'a\0b' } },
    ...nothingStarted('options', {}),
  },
  {
    id: 'environment-of-a-megabyte',
    proves: ['C-9', 'E-4'],
    what: 'a variable in the environment has 1 MB, which Linux refuses',
    options: { env: { BIG: MEGABYTE } },
    ...nothingStarted('spawn', {}),
  },
  {
    id: 'environment-names-odd',
    proves: ['O-4', 'C-9'],
    what: 'a name in the environment contains an equals sign',
    options: { env: { 'A=B': 'x' } },
    ...nothingStarted('options', {}),
  },
  {
    id: 'prompt-empty',
    proves: ['O-4'],
    what: 'the prompt is empty',
    prompt: '',
    query: { outcome: 'options', got: false },
    session: { outcome: 'options' },
  },
  {
    id: 'options-of-wrong-types',
    proves: ['O-4', 'E-4'],
    what: 'all options have the wrong type',
    options: wrongOptions(),
    ...nothingStarted('options', {}),
  },
];

/** Options that an untyped program may pass. */
function wrongOptions(): NonNullable<Exclude<Scenario['options'], (...args: never) => unknown>> {
  return JSON.parse('{"model":7,"maxTurns":"two","allowedTools":"Read","limits":7,"hooks":[],"cwd":[],"modle":"x"}');
}
