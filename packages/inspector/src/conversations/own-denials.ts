import type { AuditEntry } from '../api.ts';
import { fieldsOf, numberIn } from '../transcript/fields.ts';

/** Requests that people have denied since the last warning about denied tools; they need no warning about their own decisions. */
export class OwnDenials {
  #count = 0;

  note({ action, error }: AuditEntry): void {
    if (action === 'deny' && error === null) this.#count += 1;
  }

  /** Whether people denied every tool that a warning reports. */
  cover({ detail }: { readonly detail: unknown }): boolean {
    const denied = this.#count;
    this.#count = 0;
    return (numberIn(fieldsOf(detail), 'count') ?? Number.POSITIVE_INFINITY) <= denied;
  }
}
