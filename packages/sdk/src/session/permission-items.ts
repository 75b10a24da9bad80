import type { PermissionEvent } from '../callbacks/permission-dispatch.ts';
import type { Unnumbered } from '../stream/feed.ts';
import type { PermissionItem } from '../stream/items.ts';

/** Where the permissions of a turn go, among its messages. */
interface PermissionFeed {
  permission(item: Unnumbered<PermissionItem>): void;
}

/** Puts permission requests and their answers into the turn that they came in. */
export class PermissionItems {
  readonly #current: () => PermissionFeed | undefined;
  /** The turn of each request that is unanswered: the next one may run when its answer comes. */
  readonly #asked = new Map<string, PermissionFeed>();

  constructor(current: () => PermissionFeed | undefined) {
    this.#current = current;
  }

  note(event: PermissionEvent): void {
    if (event.type === 'permission-requested') {
      const { request } = event;
      const feed = this.#current();
      if (!feed) return;
      this.#asked.set(request.id, feed);
      feed.permission({ kind: 'permission-requested', id: request.id, request });
    } else if (event.type === 'permission-answered') {
      const { id, tool, decision, ms } = event;
      this.#asked.get(id)?.permission({ kind: 'permission-answered', id, tool, decision, ms });
      this.#asked.delete(id);
    }
  }
}
