import process from 'node:process';
import { pinnedVersion, supportedVersions } from '../harness/real-cli.ts';

/** The releases on which parking is measured now: the pinned one; all with COXSWAIN_PARKED and COXSWAIN_LONG, in a few minutes. */
export const parkedVersions: readonly string[] = process.env.COXSWAIN_PARKED ? supportedVersions : [pinnedVersion];
