import { battery } from './battery.ts';
import { answers } from './scenarios/answers.ts';

battery('answers', answers, 'memory');
