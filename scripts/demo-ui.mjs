// npm run demo:ui: builds what the demo needs and plays it. Only the demo is printed, unless the build fails.
import './build.mjs';

await import('../examples/demo-ui.ts');
