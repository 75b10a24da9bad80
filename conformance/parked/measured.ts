import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiScript } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { openParking, type ParkingStage } from './stage.ts';

/** What each release does, in words, by test. */
export type Measured = Record<string, Record<string, string>>;

/** If set, the tests record the results instead of comparing them. */
const WRITES = process.env.COXSWAIN_MEASURE === '1';

/** An API script that can refer to the stage, for calls with paths. */
export type StagedScript = (stage: () => ParkingStage) => ApiScript;

type Measure = (title: string, script: StagedScript, act: (stage: ParkingStage) => Promise<string>) => void;

/**
 * Defines tests of one release. Each test returns a description of what happened, and fails if it differs from
 * `measured/<topic>.json`, from which the page about compatibility is generated.
 */
export function measuring(topic: string, version: string): Measure {
  return (title, script, act) => {
    it(`[G-5] ${title}`, async () => {
      let opened: ParkingStage | undefined;
      const current = (): ParkingStage => {
        if (opened === undefined) throw new Error('The stage has not been set up yet.');
        return opened;
      };
      await using stage = await openParking(script(current), version);
      opened = stage;
      const words = await act(stage);
      if (WRITES) note(topic, title, version, words);
      else expect(words).toBe(readMeasured(topic)[title]?.[version]);
    });
  };
}

function fileOf(topic: string): string {
  return fileURLToPath(new URL(`./measured/${topic}.json`, import.meta.url));
}

function readMeasured(topic: string): Measured {
  return existsSync(fileOf(topic)) ? JSON.parse(readFileSync(fileOf(topic), 'utf8')) : {};
}

// One process runs all tests of a topic, so nothing is written in between.
function note(topic: string, title: string, version: string, words: string): void {
  const measured = readMeasured(topic);
  measured[title] = { ...measured[title], [version]: words };
  writeFileSync(fileOf(topic), `${JSON.stringify(measured, undefined, 2)}\n`);
}
