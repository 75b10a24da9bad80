// npm run build: bundles the packages, packages/shared into each that uses it. tsdown warns on Node 20 and when the machine is busy; only a failed build needs its output.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { quietly } from './quietly.mjs';

const tsdown = fileURLToPath(new URL('../node_modules/tsdown/dist/run.mjs', import.meta.url));
quietly('building the packages …', process.execPath, [tsdown, '-W', 'packages/!(shared)', '-l', 'warn']);
