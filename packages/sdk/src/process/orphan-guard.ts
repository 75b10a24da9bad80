import type { Writable } from 'node:stream';
import { steadyNow } from '../clock.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { type GuardProcess, startGuard } from './guard-process.ts';

type Warn = (warning: Warning) => void;

const guarded = new Map<number, Writable | null>();
let guard: GuardProcess | undefined;
let warned = false;
/** Lines for the guard, sent together once per turn of the event loop. */
let news = '';
let telling = false;
/** How long an idle guard is kept, so that many short runs share one. */
const LINGER_MS = 100;
let leaving: NodeJS.Timeout | undefined;
/** A new shell takes over this much later, one for many starts. No CLI runs a tool so soon after its start. */
const TAKE_OVER_MS = 50;
let takingOver: NodeJS.Timeout | undefined;
/** A guard that was killed is started again at once; one that ends sooner than this is started again later. */
const SHORT_LIFE_MS = 1_000;
let waiting: NodeJS.Timeout | undefined;

/**
 * Ends the process `pid` and its tree if the host is killed before the returned function is called. One shell per host
 * does so: it reads a pipe that ends with the host, however the host dies.
 */
export function guardOrphan(pid: number, stdin: Writable | null, warn: Warn): () => void {
  clearTimeout(leaving);
  guarded.set(pid, stdin);
  note(`+${pid}\n`, warn);
  return () => {
    if (!guarded.delete(pid)) return;
    note(`-${pid}\n`, warn);
    if (guarded.size === 0) leaving = setTimeout(dismiss, LINGER_MS).unref();
  };
}

function note(line: string, warn: Warn): void {
  news += line;
  if (telling) return;
  telling = true;
  setImmediate(tell, warn);
}

function tell(warn: Warn): void {
  telling = false;
  guard?.tell(news);
  news = '';
  if (guard === undefined) renew(warn);
  else takingOver ??= setTimeout(renew, TAKE_OVER_MS, warn).unref();
}

/** A running shell cannot receive the stdin of another child, so a new shell replaces it. */
function renew(warn: Warn): void {
  stopTimers();
  if (guarded.size === 0 || guard?.holdsAll(guarded)) return;
  const lost = (ended: GuardProcess, reason: string): void => {
    if (ended.runs && guard !== ended) return;
    if (ended.runs) guard = undefined;
    if (steadyNow() - ended.since < SHORT_LIFE_MS) renewLater(warn, reason);
    else tell(warn);
  };
  try {
    const next = startGuard(guarded, lost);
    if (!next.runs) return;
    guard?.dismiss();
    guard = next;
  } catch (error) {
    renewLater(warn, String(error));
  }
}

function renewLater(warn: Warn, reason: string): void {
  waiting = setTimeout(tell, SHORT_LIFE_MS, warn).unref();
  if (warned) return;
  warned = true;
  const message = `The orphan guard, which ends the CLI when this process is killed, could not be started (/bin/sh: ${reason}). The start is retried every second; until it succeeds, CLIs may outlive this process. orphanGuard: false silences this.`;
  warn(warning('orphan-guard-unavailable', message, { reason }));
}

function dismiss(): void {
  stopTimers();
  guard?.dismiss();
  guard = undefined;
}

function stopTimers(): void {
  clearTimeout(waiting);
  clearTimeout(takingOver);
  takingOver = undefined;
}
