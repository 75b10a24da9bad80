import { battery } from './battery.ts';
import { callbacks } from './scenarios/callbacks.ts';
import { reentrant } from './scenarios/reentrant.ts';

battery('callbacks', callbacks, 'memory');
battery('callbacks into the session', reentrant, 'memory');
