import { battery } from './battery.ts';
import { framing } from './scenarios/framing.ts';

battery('framing', framing);
