import { battery } from './battery.ts';
import { optionValues } from './scenarios/options.ts';

battery('option values', optionValues);
