import type { JsonObject, JsonValue } from '../../json.ts';
import type { World } from './effects.ts';

/** The outcome of a request to the host. */
export type Reply =
  | { readonly kind: 'answer'; readonly response: JsonValue | undefined }
  | { readonly kind: 'error'; readonly error: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'closed' };

/** A request to the host that can be withdrawn. */
export interface Request {
  readonly id: string;
  readonly frame: JsonObject;
  /** Whether an answer is valid; an invalid one is dropped, and the wait continues. */
  accepts(response: JsonValue | undefined): boolean;
  /** Runs when the answer arrives, before it is echoed. */
  answered?(): void;
  /** Reports that the answer is no longer needed. */
  withdraw(): void;
}

/** Who can ask the host. */
interface Asker {
  readonly world: Pick<World, 'newId'>;
  write(frame: JsonObject): void;
}

/** Makes a request with a `control_cancel_request` as its withdrawal. */
export function controlRequest(asker: Asker, request: JsonObject): Request {
  const id = asker.world.newId();
  return {
    id,
    frame: { type: 'control_request', request_id: id, request },
    accepts: () => true,
    withdraw: () => asker.write({ type: 'control_cancel_request', request_id: id }),
  };
}
