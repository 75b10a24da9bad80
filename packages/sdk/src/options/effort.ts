import type { Open } from '../wire/kinds.ts';

/** The model's effort level. */
export type Effort = Open<'low' | 'medium' | 'high' | 'xhigh' | 'max'>;
