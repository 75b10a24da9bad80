import { declarations } from './declarations.mjs';
import { matrix } from './matrix.mjs';
import { move } from './move.mjs';
import { pages } from './pages.mjs';
import { structure } from './structure.mjs';
import { behaviours, clients, parked, realSuite } from './suites.mjs';
import { surfaces } from './surfaces.mjs';

/**
 * The input of a step.
 * @typedef {object} Followed
 * @property {string} root
 * @property {string} cache the folder of everything that is fetched for this
 * @property {import('./pins.mjs').Release} from
 * @property {import('./pins.mjs').Release} to
 * @property {import('./journal.mjs').Journal} journal
 * @property {(text: string) => void} log
 */

/**
 * The steps in their order. A result is plain data; a step that throws is repeated by the next call.
 * @type {Readonly<Record<string, (followed: Followed) => Promise<unknown>>>}
 */
export const STEPS = {
  declarations,
  surfaces,
  move,
  structure,
  matrix,
  parked,
  behaviours,
  clients,
  real: realSuite,
  pages,
};
