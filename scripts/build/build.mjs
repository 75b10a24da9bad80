// npm run build: bundles the packages, packages/shared into each that uses it. tsdown warns on Node 20 and on a busy machine, so its output is shown only if the build fails.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { quietly } from '../suites/quietly.mjs';

const tsdown = fileURLToPath(new URL('../../node_modules/tsdown/dist/run.mjs', import.meta.url));
quietly('building the packages …', process.execPath, [tsdown, '-W', 'packages/!(shared)', '-l', 'warn']);
