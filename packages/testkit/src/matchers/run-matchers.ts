import { checkStartArguments, checkText } from './arguments.ts';
import { fits, show, type TextPattern } from './pattern.ts';
import { sortOut } from './received.ts';
import { findText } from './texts.ts';
import { type Verdict, verdict } from './verdict.ts';

/** The CLI was started with these adjacent arguments. */
export function toHaveBeenStartedWith(received: unknown, ...args: (string | RegExp)[]): Verdict {
  checkStartArguments(args);
  const { runs } = sortOut(received, ['runs']);
  const holds = (argv: readonly string[]): boolean =>
    argv.some((_, at) => args.every((arg, offset) => fits(arg, argv[at + offset])));
  return verdict({
    pass: runs.some(({ argv }) => holds(argv)),
    wanted: `a CLI that was started with ${args.map((arg) => (typeof arg === 'string' ? arg : show(arg))).join(' ')}`,
    listed: 'It was started with',
    seen: runs.map(({ argv }) => argv.join(' ')),
  });
}

/** A hook added this context for the model. */
export function toHaveBeenToldByHook(received: unknown, text: TextPattern): Verdict {
  checkText('toHaveBeenToldByHook', text);
  const { runs } = sortOut(received, ['runs']);
  const texts = runs.flatMap(({ contexts }) => contexts.map((context) => context.text));
  return findText('the model to have been told by a hook', 'Hooks told it', texts, text);
}
