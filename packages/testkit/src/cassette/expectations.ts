import { type JsonObject, objectOf } from '../json.ts';
import type { Difference } from './cassette-error.ts';
import { compare, sameText } from './compare.ts';
import { frameOf } from './content.ts';
import type { PlacedEntry } from './format.ts';
import { answeredRequest, describeRequest, describeWritten, kindOf, type Written } from './frame-kind.ts';
import { IdMap } from './id-map.ts';

/** How closely the host's writes are compared: field by field, or by their kind only. */
export type Matching = 'strict' | 'loose';

/** A write of the host that does not match the recording. */
export interface Misfit {
  /** The line of the cassette it was compared with; undefined when the recording has no such line. */
  readonly line: number | undefined;
  readonly expected: string | undefined;
  readonly received: string;
  readonly differences: readonly Difference[];
}

export interface MatchRules {
  readonly match: Matching;
  /** Removes from a frame what may differ; applied to recorded and live frames. */
  readonly normalise: (frame: JsonObject) => unknown;
}

/**
 * What the recorded host wrote, checked off as the live one writes it. Answers to requests of the CLI are matched by
 * request id, since callbacks may finish in any order; everything else must come in the recorded order.
 */
export class Expectations {
  readonly ids: IdMap = new IdMap();
  readonly #rules: MatchRules;
  readonly #inOrder: Expected[] = [];
  readonly #answers = new Map<string, Expected[]>();
  readonly #requests: ReadonlyMap<string, string>;
  readonly #met = new Set<PlacedEntry>();

  constructor(entries: readonly PlacedEntry[], rules: MatchRules) {
    this.#rules = rules;
    this.#requests = requestsIn(entries);
    for (const entry of entries) {
      if (entry.dir !== 'in') continue;
      const written: Written = 'frame' in entry ? entry : { text: 'text' in entry ? entry.text : '' };
      const request = 'frame' in written ? answeredRequest(written.frame) : undefined;
      if (request === undefined) this.#inOrder.push({ entry, written });
      else this.#answers.set(request, [...(this.#answers.get(request) ?? []), { entry, written }]);
    }
  }

  /** Whether the host has written this already. */
  isMet(entry: PlacedEntry): boolean {
    return this.#met.has(entry);
  }

  /** Takes a write of the host; returns a misfit if the recording has something else. */
  take(text: string): Misfit | undefined {
    const frame = text.endsWith('\n') ? frameOf(text.slice(0, -1)) : undefined;
    const written: Written = frame ? { frame } : { text };
    const request = frame && answeredRequest(frame);
    const expected = request === undefined ? this.#inOrder.shift() : this.#answerTo(request);
    const received = this.describe(written);
    if (expected === undefined) {
      const surplusAnswer = request !== undefined && this.#rules.match === 'loose';
      return surplusAnswer ? undefined : { line: undefined, expected: undefined, received, differences: [] };
    }
    const differences = this.#differences(expected.written, written);
    if (differences.length > 0) {
      return { line: expected.entry.line, expected: this.describe(expected.written), received, differences };
    }
    this.#met.add(expected.entry);
    return undefined;
  }

  /** Describes an entry of the recording, or what came instead, in a few words. */
  describe(written: Written): string {
    return describeWritten(written, this.#requests);
  }

  #answerTo(liveRequest: string): Expected | undefined {
    return this.#answers.get(this.ids.recordedRequest(liveRequest))?.shift();
  }

  #differences(recorded: Written, live: Written): readonly Difference[] {
    const kinds = { recorded: kindOf(recorded), live: kindOf(live) };
    const strict = this.#rules.match === 'strict';
    if ('frame' in recorded && 'frame' in live) {
      const { normalise } = this.#rules;
      const found = compare(normalise(recorded.frame), normalise(live.frame), this.ids);
      if (strict) return found;
    } else if ('text' in recorded && 'text' in live && strict) {
      const same = sameText(recorded.text, live.text, this.ids);
      return same ? [] : [{ path: '', recorded: recorded.text, live: live.text }];
    }
    return kinds.recorded === kinds.live ? [] : [{ path: 'type', ...kinds }];
  }
}

interface Expected {
  readonly entry: PlacedEntry;
  readonly written: Written;
}

/** The requests the CLI made, by their ids. */
function requestsIn(entries: readonly PlacedEntry[]): ReadonlyMap<string, string> {
  const requests = new Map<string, string>();
  for (const entry of entries) {
    if (entry.dir !== 'out' || !('frame' in entry) || entry.frame.type !== 'control_request') continue;
    const { request_id: id, request } = entry.frame;
    if (typeof id === 'string') requests.set(id, describeRequest(objectOf(request) ?? {}));
  }
  return requests;
}
