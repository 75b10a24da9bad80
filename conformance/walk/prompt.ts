/** What the model does for a prompt, one action after the other, before it answers. */
export type Act =
  | { readonly do: 'write' }
  | { readonly do: 'bash'; readonly ms: number }
  /** `ownMs`: how long a tool runs in the turn that the CLI starts when the command ends; 0 for none. */
  | { readonly do: 'background'; readonly ms: number; readonly ownMs: number }
  | { readonly do: 'agent'; readonly ms: number; readonly ownMs: number };

/** A prompt with a token that its answer repeats. */
export interface PromptPlan {
  readonly token: string;
  /** How long the model waits before its first output. */
  readonly slowMs: number;
  /** How long its answer stays unfinished. */
  readonly lingerMs: number;
  readonly acts: readonly Act[];
}

/** The text of the prompt. It has no quotes: the CLI also shows prompts to the model inside JSON. */
export function promptText({ token, slowMs, lingerMs, acts }: PromptPlan): string {
  const words = acts.map((act) =>
    [act.do, ...('ms' in act ? [act.ms] : []), ...('ownMs' in act ? [act.ownMs] : [])].join(':'),
  );
  return `${token} <<${[slowMs, lingerMs, ...words].join(' ')}>>`;
}

/** All prompts in a text, in order. */
export function promptsIn(text: string): PromptPlan[] {
  return [...text.matchAll(/(Q\d+x) <<([^<>]*)>>/g)].map(([, token = '', plan = '']) => {
    const [slowMs, lingerMs, ...acts] = plan.split(' ');
    return { token, slowMs: Number(slowMs), lingerMs: Number(lingerMs), acts: acts.map(actFrom) };
  });
}

function actFrom(words: string): Act {
  const [what, ms, ownMs] = words.split(':');
  switch (what) {
    case 'bash':
      return { do: what, ms: Number(ms) };
    case 'background':
    case 'agent':
      return { do: what, ms: Number(ms), ownMs: Number(ownMs) };
    default:
      return { do: 'write' };
  }
}

/** All tokens in a text, each once. */
export function tokensIn(text: string): string[] {
  return [...new Set(text.match(/Q\d+x/g) ?? [])];
}

/** The token of the nth prompt of a walk. */
export function tokenOf(nth: number): string {
  return `Q${nth}x`;
}

/** The file that a prompt writes. */
export function fileOf(token: string): string {
  return `${token}.txt`;
}
