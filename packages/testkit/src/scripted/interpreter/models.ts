/** The price of a model per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** The models of the scripted CLI, as listed by `initialize`. */
export const models: readonly { readonly alias: string; readonly id: string; readonly name: string }[] = [
  { alias: 'opus', id: 'claude-opus-5-5', name: 'Opus' },
  { alias: 'fable', id: 'claude-fable-5-2', name: 'Fable' },
  { alias: 'sonnet', id: 'claude-sonnet-5-5', name: 'Sonnet' },
  { alias: 'haiku', id: 'claude-haiku-5-5', name: 'Haiku' },
];

/** The model of a name; `usual` is that of `default`. A name other than an alias is returned unchanged. */
export function resolveModel(wanted: string, usual: string = USUAL): string {
  const name = wanted.trim();
  if (isDefault(name)) return usual;
  // Every model has the large context window of the suffix.
  return ALIASES.get(name.toLowerCase().replace(/\[1m\]$/, '')) ?? name;
}

/** True if a name means the model of a session without `--model`. */
export function isDefault(name: string): boolean {
  return name.trim().toLowerCase() === 'default';
}

const USUAL = 'claude-opus-5-5';

/** The listed aliases, and two unlisted ones. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...models.map(({ alias, id }): [string, string] => [alias, id]),
  ['best', 'claude-opus-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
]);

/** The cost of these tokens in dollars. */
export function costOfTokens(model: string, inputTokens: number, outputTokens: number): number {
  const { input, output } = priceOf(model);
  return (inputTokens * input + outputTokens * output) / 1_000_000;
}

function priceOf(model: string): Price {
  if (model.includes('sonnet')) return { input: 2, output: 10 };
  if (model.includes('haiku')) return { input: 1, output: 5 };
  return { input: 4, output: 20 };
}
