import type { Open } from '../wire/kinds.ts';

/** How much effort the model makes. */
export type Effort = Open<'low' | 'medium' | 'high' | 'xhigh' | 'max'>;
