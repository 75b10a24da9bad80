import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiScript } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { openParking, type ParkingStage } from './stage.ts';

/** What each release does, in words, by what is tried. */
export type Measured = Record<string, Record<string, string>>;

const FILE = fileURLToPath(new URL('./measured.json', import.meta.url));

/** With it the tests write what they see instead of comparing it; run them with `--maxWorkers=1` then. */
const WRITES = process.env.COXSWAIN_MEASURE === '1';

/** A stage that the script of its own API can name: for calls with paths. */
export type StagedScript = (stage: () => ParkingStage) => ApiScript;

/**
 * Defines tests of one release. Each tries something and returns in words what happened; it fails when that is not what
 * measured.json says, from which the page about compatibility is made.
 */
export function measuring(version: string): Measure {
  return (title, script, act) => {
    it(`[G-5] ${title}`, async () => {
      let opened: ParkingStage | undefined;
      const current = (): ParkingStage => {
        if (opened === undefined) throw new Error('The stage is not set up yet.');
        return opened;
      };
      await using stage = await openParking(script(current), version);
      opened = stage;
      const words = await act(stage);
      if (WRITES) note(title, version, words);
      else expect(words).toBe(readMeasured()[title]?.[version]);
    });
  };
}

type Measure = (title: string, script: StagedScript, act: (stage: ParkingStage) => Promise<string>) => void;

function readMeasured(): Measured {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

function note(title: string, version: string, words: string): void {
  const measured = readMeasured();
  measured[title] = { ...measured[title], [version]: words };
  writeFileSync(FILE, `${JSON.stringify(measured, undefined, 2)}\n`);
}
