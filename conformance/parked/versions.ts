import process from 'node:process';
import { pinnedVersion, supportedVersions } from '../harness/real-cli.ts';

/** The releases on which parking is measured now: the pinned one; with COXSWAIN_LONG all that are supported, in a few minutes. */
export const parkedVersions: readonly string[] = process.env.COXSWAIN_LONG ? supportedVersions : [pinnedVersion];
