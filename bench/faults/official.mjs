import { officialSdk } from '../peer.mjs';
import { playedOn } from './official-api.mjs';

export const { runQuery, runSession, classOf } = playedOn(await officialSdk());
