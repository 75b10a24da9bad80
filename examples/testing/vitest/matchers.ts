// #region setup
import { type CoxswainMatchers, coxswainMatchers } from '@coxswain/testkit';
import { expect } from 'vitest';

declare module 'vitest' {
  interface Matchers<T> extends CoxswainMatchers<T> {}
}

expect.extend(coxswainMatchers);
// #endregion
