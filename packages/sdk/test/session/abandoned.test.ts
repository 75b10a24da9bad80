import { it } from 'vitest';
import { expectDroppedToEnd } from '../support/dropped-sessions.ts';

it(
  '[R-7] a session that is garbage is ended with a warning; one whose turn is awaited is not',
  {
    timeout: 30_000,
  },
  () => expectDroppedToEnd('no-restart'),
);
