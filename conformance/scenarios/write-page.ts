// Writes docs/guides/scripted-vs-real.md: node --import tsx conformance/scenarios/write-page.ts
import { writeFileSync } from 'node:fs';
import { readMeasured } from '../permissions/measured.ts';
import { allScenarios } from './all-scenarios.ts';
import { pageFile, renderPage } from './render-page.ts';

writeFileSync(pageFile, renderPage(await allScenarios(), readMeasured()));
