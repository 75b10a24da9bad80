import { battery } from './battery.ts';
import { pipes, stubborn } from './scenarios/pipes.ts';

battery('pipes', pipes);
battery('stubborn and slow', stubborn);
