import { battery } from './battery.ts';
import { decoding } from './scenarios/decoding.ts';

battery('decoding', decoding, 'memory');
