import { isObject } from '@coxswain/shared/is-object';

/** The fields of a value from the CLI, which is typed as measured but not checked; empty if it is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {};
}

export function textIn(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

export function numberIn(fields: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The list in a field; empty if it holds none. */
export function listIn(fields: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

/** The text of a prompt or of a tool result: its text blocks, and the kinds of the others in brackets. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => {
      const fields = fieldsOf(block);
      return textIn(fields, 'text') ?? `[${textIn(fields, 'type') ?? 'unknown'}]`;
    })
    .join('\n');
}

/** How many blocks of a prompt are no text. */
export function attachmentsIn(content: unknown): number {
  return Array.isArray(content) ? content.filter((block) => fieldsOf(block).type !== 'text').length : 0;
}
