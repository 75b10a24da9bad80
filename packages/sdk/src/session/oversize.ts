import type { CliRequest } from '../control/router.ts';

/** What a line that was too long seems to have been, by its first bytes. */
export type OversizeKind =
  | { readonly kind: 'request'; readonly frame: CliRequest }
  | { readonly kind: 'result' }
  | { readonly kind: 'other' };

/** Recognises a request, which must not stay unanswered, and a result, without which its turn would not end. */
export function readOversize(head: Uint8Array): OversizeKind {
  const text = new TextDecoder().decode(head);
  const id = stringOf(text, 'request_id');
  const subtype = stringOf(text, 'subtype');
  if (id !== undefined && subtype !== undefined && text.includes('"control_request"')) {
    // The input is lost: the failure policy of whoever is asked decides.
    const request = { subtype, callback_id: stringOf(text, 'callback_id') };
    return { kind: 'request', frame: { type: 'control_request', request_id: id, request } };
  }
  return /"type":"result"|"duration_api_ms":|"total_cost_usd":/.test(text) ? { kind: 'result' } : { kind: 'other' };
}

function stringOf(text: string, name: string): string | undefined {
  return new RegExp(`"${name}":"([^"\\\\]*)"`).exec(text)?.[1];
}
