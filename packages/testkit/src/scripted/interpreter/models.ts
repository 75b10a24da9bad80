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

/** The model an alias stands for; a full name stands for itself. */
export function resolveModel(name: string): string {
  return models.find(({ alias }) => alias === name)?.id ?? name;
}

/** Whether the scripted account has this model. */
export function isKnownModel(name: string): boolean {
  return models.some(({ alias, id }) => alias === name || id === name) || /^claude-/.test(name);
}

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
