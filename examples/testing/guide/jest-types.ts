// #region types
import type { CoxswainMatchers } from '@coxswain/testkit';

declare global {
  namespace jest {
    interface Matchers<R> extends CoxswainMatchers<R> {}
  }
}
// #endregion
