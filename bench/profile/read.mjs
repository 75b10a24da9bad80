import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KINDS, kindOf } from './kinds.mjs';

/** The milliseconds per kind in the CPU profiles of a folder: the mean of its runs. */
export function readProfiles(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  const spent = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0]));
  for (const file of files) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const kinds = new Map(nodes.map((node) => [node.id, kindOf(node.callFrame, hottestLine(node))]));
    samples.forEach((id, index) => {
      spent[kinds.get(id)] += timeDeltas[index] / 1_000 / files.length;
    });
  }
  return spent;
}

/** The source line with the most samples of a function. */
function hottestLine({ callFrame, positionTicks = [] }) {
  const [hottest] = positionTicks.toSorted((a, b) => b.ticks - a.ticks);
  return hottest && callFrame.url.startsWith('file:') ? linesOf(callFrame.url)[hottest.line - 1] : undefined;
}

const sources = new Map();

function linesOf(url) {
  if (!sources.has(url)) sources.set(url, readFileSync(fileURLToPath(url), 'utf8').split('\n'));
  return sources.get(url);
}
