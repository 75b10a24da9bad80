import { compareVersions } from '@coxswain/shared/version';
import { RehearsalError } from '../rehearsal-error.ts';
import { publishedReleases } from '../stage/script-release.ts';
import type { Condition } from './condition.ts';
import { type ProbedRequest, probeRelease } from './probe.ts';

/** The condition, the range and the limit of a search. */
export interface BisectOptions {
  /** The first and the last release of the range. */
  readonly from: string;
  readonly to: string;
  readonly when: Condition;
  /** Maximum number of releases that are probed to find two that differ. Default: 16. */
  readonly maxSamples?: number | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
  /** Replaces the list of releases from the npm registry, and the function that probes one. */
  readonly releases?: readonly string[] | undefined;
  readonly probe?: ((release: string) => Promise<ProbedRequest>) | undefined;
}

/** Where a condition becomes true or false. */
export interface Bisection {
  /** The releases that were probed, in their order. */
  readonly probed: readonly { readonly release: string; readonly holds: boolean }[];
  /** Each change between two consecutive releases. */
  readonly changes: readonly { readonly before: string; readonly first: string; readonly holds: boolean }[];
  /** Releases that could not be probed, and why. */
  readonly skipped: readonly { readonly release: string; readonly reason: string }[];
}

/**
 * Finds the releases with which a condition becomes true or false. If it is the same at both ends of the range, releases in between
 * are sampled, more and more densely; a change and its reversal between two samples are not found.
 * @throws RehearsalError if the range has no two releases that can be probed
 */
export async function bisect(options: BisectOptions): Promise<Bisection> {
  const {
    from,
    to,
    maxSamples = 16,
    onProgress = () => {},
    probe = (release) => probeRelease(release, onProgress),
  } = options;
  const all = options.releases ?? (await publishedReleases());
  const range = all
    .filter((release) => compareVersions(release, from) >= 0 && compareVersions(release, to) <= 0)
    .sort(compareVersions);
  if (range.length < 2)
    throw new RehearsalError('release', `There are fewer than two releases between ${from} and ${to}.`);
  const search = new Search(range, options.when, probe, onProgress);
  await search.ends();
  while (!search.differs && (await search.sampleBetween(maxSamples)));
  await search.narrow();
  return search.result();
}

class Search {
  readonly #range: string[];
  readonly #when: Condition;
  readonly #probe: (release: string) => Promise<ProbedRequest>;
  readonly #onProgress: (text: string) => void;
  readonly #known = new Map<string, boolean>();
  readonly #skipped: { release: string; reason: string }[] = [];

  constructor(
    range: readonly string[],
    when: Condition,
    probe: (release: string) => Promise<ProbedRequest>,
    onProgress: (text: string) => void,
  ) {
    this.#range = [...range];
    this.#when = when;
    this.#probe = probe;
    this.#onProgress = onProgress;
  }

  get differs(): boolean {
    return new Set(this.#known.values()).size > 1;
  }

  async ends(): Promise<void> {
    while (this.#range.length > 1 && !(await this.#test(0)));
    while (this.#range.length > 1 && !(await this.#test(this.#range.length - 1)));
    if (this.#range.length < 2) {
      const reasons = this.#skipped.map(({ release, reason }) => `${release}: ${reason}`);
      throw new RehearsalError(
        'release',
        `No two releases of the range could be probed. ${reasons.slice(0, 3).join(' ')}`,
      );
    }
  }

  /** Probes the middle of the widest gap between two known releases; false if there is no gap or the limit is reached. */
  async sampleBetween(most: number): Promise<boolean> {
    const gaps = this.#gaps().filter(([low, high]) => high - low > 1);
    gaps.sort(([low, high], [otherLow, otherHigh]) => otherHigh - otherLow - (high - low));
    const [widest] = gaps;
    if (widest === undefined || this.#known.size >= most) return false;
    await this.#test(middleOf(widest));
    return true;
  }

  /** Halves each gap between two neighbours that differ, until they are consecutive. */
  async narrow(): Promise<void> {
    for (;;) {
      const gap = this.#gaps().find(([low, high]) => high - low > 1 && this.#valueAt(low) !== this.#valueAt(high));
      if (gap === undefined) return;
      await this.#test(middleOf(gap));
    }
  }

  result(): Bisection {
    const probed = this.#range.flatMap((release) => {
      const holds = this.#known.get(release);
      return holds === undefined ? [] : [{ release, holds }];
    });
    const changes = probed.flatMap(({ release, holds }, index) => {
      const before = probed[index - 1];
      return before === undefined || before.holds === holds ? [] : [{ before: before.release, first: release, holds }];
    });
    return { probed, changes, skipped: this.#skipped };
  }

  /** Neighbouring known releases, by their indexes in the range. */
  #gaps(): [low: number, high: number][] {
    const places = this.#range.flatMap((release, index) => (this.#known.has(release) ? [index] : []));
    return places.slice(1).map((high, index) => [places[index] ?? 0, high]);
  }

  #valueAt(index: number): boolean | undefined {
    return this.#known.get(this.#range[index] ?? '');
  }

  /** Probes one release; removes it from the range if that fails. */
  async #test(index: number): Promise<boolean> {
    const release = this.#range[index] ?? '';
    if (this.#known.has(release)) return true;
    try {
      const holds = this.#when(await this.#probe(release));
      this.#known.set(release, holds);
      this.#onProgress(`${release}: ${holds ? 'true' : 'false'}`);
      return true;
    } catch (error) {
      this.#range.splice(index, 1);
      this.#skipped.push({ release, reason: error instanceof Error ? error.message : String(error) });
      this.#onProgress(`${release}: could not be probed`);
      return false;
    }
  }
}

function middleOf([low, high]: readonly [number, number]): number {
  return Math.floor((low + high) / 2);
}
