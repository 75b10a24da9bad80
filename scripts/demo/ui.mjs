// npm run demo:ui: builds the packages of the demo and plays it. Prints only the demo, unless the build fails.
import '../build/build.mjs';

await import('../../examples/demo-ui.ts');
