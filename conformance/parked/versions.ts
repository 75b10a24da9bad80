import process from 'node:process';
import { pinnedVersion, supportedVersions } from '../harness/real-cli.ts';

/** The releases to measure: the pinned one; with COXSWAIN_LONG all supported ones, which takes a few minutes. */
export const parkedVersions: readonly string[] = process.env.COXSWAIN_LONG ? supportedVersions : [pinnedVersion];
