import { battery } from './battery.ts';
import { exits } from './scenarios/exits.ts';

battery('exits', exits);
