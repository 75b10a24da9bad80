import { type JsonObject, objectOf } from '../json.ts';
import type { Difference } from './cassette-error.ts';
import { compare, sameText } from './compare.ts';
import { frameOf } from './content.ts';
import type { PlacedEntry } from './format.ts';
import { answeredRequest, describeRequest, describeWritten, kindOf, type Written } from './frame-kind.ts';
import { IdMap } from './id-map.ts';

/** How writes of the host are compared: field by field, or only by their kind. */
export type Matching = 'strict' | 'loose';

/** A write of the host that does not match the recording. */
export interface Misfit {
  /** The line of the cassette it was compared with; undefined if the recording has no such line. */
  readonly line: number | undefined;
  readonly expected: string | undefined;
  readonly received: string;
  readonly differences: readonly Difference[];
}

export interface MatchRules {
  readonly match: Matching;
  /** Removes variable parts from a frame; applied to recorded and live frames. */
  readonly normalise: (frame: JsonObject) => unknown;
}

/**
 * The writes of the recorded host, checked off by those of the live host. Answers to requests of the CLI are matched by
 * request id, because callbacks may finish in any order; everything else must arrive in the recorded order.
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

  /** True if the host has already written this. */
  isMet(entry: PlacedEntry): boolean {
    return this.#met.has(entry);
  }

  /** Compares a write of the host; returns a misfit if the recording differs. */
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

  /** Briefly describes an entry of the recording, or the actual write. */
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

/** The requests of the CLI, by their ids. */
function requestsIn(entries: readonly PlacedEntry[]): ReadonlyMap<string, string> {
  const requests = new Map<string, string>();
  for (const entry of entries) {
    if (entry.dir !== 'out' || !('frame' in entry) || entry.frame.type !== 'control_request') continue;
    const { request_id: id, request } = entry.frame;
    if (typeof id === 'string') requests.set(id, describeRequest(objectOf(request) ?? {}));
  }
  return requests;
}
