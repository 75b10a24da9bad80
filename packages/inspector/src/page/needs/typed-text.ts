/** The fields of a card into which people type. */
export type TypedIn = 'deny' | 'edit' | 'question';

/** What was typed into the form of a request and not sent, by the request. */
const typed = new Map<string, { readonly into: TypedIn; readonly text: string }>();

/** Keeps what a person has typed, so that it is not lost if another answer comes first. */
export function keepTyped(id: string, into: TypedIn, text: string): void {
  if (text.trim() === '') typed.delete(id);
  else typed.set(id, { into, text });
}

/** What was typed into this form before; '' if nothing. */
export function typedInto(id: string, into: TypedIn): string {
  const kept = typed.get(id);
  return kept?.into === into ? kept.text : '';
}

/** Returns what was typed for a request, and forgets it. */
export function takeTyped(id: string): string {
  const text = typed.get(id)?.text ?? '';
  typed.delete(id);
  return text;
}
