import { it } from 'vitest';
import { expectDroppedToEnd } from '../support/dropped-sessions.ts';

it(
  '[A-2, R-7] a supervised session that is garbage is ended with a warning; one whose turn is awaited is not',
  {
    timeout: 30_000,
  },
  () => expectDroppedToEnd('restart'),
);
