import { isObject } from '@coxswain/shared/is-object';
import { type Kind, type KindsOf, problemsIn } from '@coxswain/shared/option-kinds';
import { OptionsError } from 'coxswain/errors';

/**
 * Checks an object that a person wrote. `where` is how the caller writes it: `recording()`.
 * @throws OptionsError for fields that do not exist, with the one that was probably meant, and for those of the wrong kind
 */
export function checkOptions<T extends object>(where: string, options: T, kinds: KindsOf<Required<T>>): void {
  if (!isObject(options)) throw new OptionsError([{ path: where, message: 'must be given an object.' }]);
  const problems = problemsIn(options, kinds, { before: `${where}.`, noun: 'field' });
  if (problems.length > 0) throw new OptionsError(problems);
}

/** Checks one argument. @throws OptionsError */
export function checkArgument(path: string, value: unknown, { is, what }: Kind): void {
  if (!is(value)) throw new OptionsError([{ path, message: `must be ${what}.` }]);
}
