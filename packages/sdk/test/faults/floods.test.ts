import { battery } from './battery.ts';
import { floods } from './scenarios/floods.ts';

battery('floods', floods);
