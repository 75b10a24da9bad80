// node bench/run-scenario.mjs <name>: one scenario in this process. Its figures go to the parent, or to the terminal.
import { printSection } from './report/print.mjs';

const { run } = await import(`./scenarios/${process.argv[2]}.mjs`);
const sections = await run();
for (const section of sections) printSection(section);
process.send?.(sections);
