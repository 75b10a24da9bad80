import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Builds the stub CLI with the machine's C compiler, if it is not built yet, and returns its path. */
export function stubCli() {
  const source = fileURLToPath(new URL('./stub/stub.c', import.meta.url));
  const folder = fileURLToPath(new URL('../.cache/bench/', import.meta.url));
  const binary = `${folder}claude`;
  if (madeAt(binary) < madeAt(source)) {
    mkdirSync(folder, { recursive: true });
    execFileSync(process.env.CC ?? 'cc', ['-O2', '-o', binary, source], { stdio: 'inherit' });
  }
  return binary;
}

function madeAt(path) {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
