import type { InstallProgress } from 'coxswain/cli';
import { bytes } from '../render/format.ts';
import { fit } from '../render/measure.ts';

/** The progress of an install, in one line. */
export function progressLine({ phase, receivedBytes, totalBytes }: InstallProgress, columns: number): string {
  const words = WORDS[phase];
  if (receivedBytes === undefined) return fit(`${words} …`, columns);
  if (!totalBytes) return fit(`${words} … ${bytes(receivedBytes)}`, columns);
  const part = Math.min(1, receivedBytes / totalBytes);
  const numbers = `${String(Math.floor(part * 100)).padStart(3)} % of ${bytes(totalBytes)}`;
  const room = columns - words.length - numbers.length - 3;
  if (room < 10) return fit(`${words} ${numbers}`, columns);
  const length = Math.min(30, room);
  const full = Math.round(part * length);
  return `${words} ${'━'.repeat(full)}${'─'.repeat(length - full)} ${numbers}`;
}

const WORDS: Readonly<Record<InstallProgress['phase'], string>> = {
  waiting: 'waiting for another install',
  resolving: 'asking the registry',
  downloading: 'downloading',
  unpacking: 'unpacking',
  done: 'done',
};
