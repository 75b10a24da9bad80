// npm run demo:ui: builds what the demo needs and plays it. Only the demo is printed, unless the build fails.
import { quietly } from './quietly.mjs';

quietly('building the packages …', 'npm', ['run', '-s', 'build']);
await import('../examples/demo-ui.ts');
