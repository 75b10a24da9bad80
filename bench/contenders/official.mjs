import { officialSdk } from '../peer.mjs';
import { contenderOn } from './sdk-api.mjs';

export const { oneShot, stream, open } = contenderOn(await officialSdk());
