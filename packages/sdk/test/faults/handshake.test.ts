import { battery } from './battery.ts';
import { handshake } from './scenarios/handshake.ts';

battery('handshake', handshake);
