import type { Span } from '../../api.ts';
import type { IconName } from '../layout/icon.tsx';
import { modelName } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** The icon of each kind of span. */
export const SPAN_ICONS: Readonly<Record<Span['kind'], IconName>> = {
  model: 'model',
  thinking: 'thinking',
  tool: 'tool',
  hook: 'chevron',
  permission: 'needs-me',
  subagent: 'agent',
  task: 'queue',
};

/** The display name of a span. A permission is the time until a person or the program has answered. */
export function spanName({ kind, name, endedAt }: Span): string {
  if (kind === 'permission') return endedAt === null ? 'waits for an answer' : 'waited for an answer';
  if (kind === 'model') return modelName(visible(name));
  if (kind === 'hook') return `hook ${visible(name)}`;
  if (kind === 'task') return `${visible(name)} (background)`;
  return visible(name);
}
