/** What a model costs, per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** The models the scripted CLI offers, as `initialize` lists them. */
export const models: readonly { readonly alias: string; readonly id: string; readonly name: string }[] = [
  { alias: 'opus', id: 'claude-opus-5-5', name: 'Opus' },
  { alias: 'fable', id: 'claude-fable-5-2', name: 'Fable' },
  { alias: 'sonnet', id: 'claude-sonnet-5-5', name: 'Sonnet' },
  { alias: 'haiku', id: 'claude-haiku-5-5', name: 'Haiku' },
];

/** The model that a name stands for; `usual` is that of `default`. A name that is not an alias stands for itself. */
export function resolveModel(wanted: string, usual: string = USUAL): string {
  const name = wanted.trim();
  if (isDefault(name)) return usual;
  // Every model has the large context window that the suffix asks for.
  return ALIASES.get(name.toLowerCase().replace(/\[1m\]$/, '')) ?? name;
}

/** Whether a name means the model of a session that was started without one. */
export function isDefault(name: string): boolean {
  return name.trim().toLowerCase() === 'default';
}

const USUAL = 'claude-opus-5-5';

/** The listed ones, and two that no list mentions. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...models.map(({ alias, id }): [string, string] => [alias, id]),
  ['best', 'claude-opus-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
]);

/** What these tokens cost in dollars. */
export function costOfTokens(model: string, inputTokens: number, outputTokens: number): number {
  const { input, output } = priceOf(model);
  return (inputTokens * input + outputTokens * output) / 1_000_000;
}

function priceOf(model: string): Price {
  if (model.includes('sonnet')) return { input: 2, output: 10 };
  if (model.includes('haiku')) return { input: 1, output: 5 };
  return { input: 4, output: 20 };
}
