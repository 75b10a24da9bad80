import type { Writable } from 'node:stream';
import { steadyNow } from '../clock.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { type GuardProcess, startGuard } from './guard-process.ts';

type Warn = (warning: Warning) => void;

const guarded = new Map<number, Writable | null>();
let guard: GuardProcess | undefined;
let warned = false;
/** Lines for the guard, sent together once per iteration of the event loop. */
let pendingLines = '';
let sendScheduled = false;
/** Time for which an idle guard is kept, so that many short runs share one. */
const LINGER_MS = 100;
let dismissTimer: NodeJS.Timeout | undefined;
/** Delay of a replacement, so that one new shell covers many starts. No CLI runs a tool so soon after its start. */
const REPLACE_MS = 50;
let replaceTimer: NodeJS.Timeout | undefined;
/** A killed guard is restarted immediately; a guard that exits sooner than this is restarted later. */
const SHORT_LIFE_MS = 1_000;
let retryTimer: NodeJS.Timeout | undefined;

/**
 * Kills the process `pid` and its tree if the host dies before the returned function is called. One shell per host does this:
 * it reads a pipe that closes with the host, however the host dies.
 */
export function guardOrphan(pid: number, stdin: Writable | null, warn: Warn): () => void {
  clearTimeout(dismissTimer);
  guarded.set(pid, stdin);
  queueLine(`+${pid}\n`, warn);
  return () => {
    if (!guarded.delete(pid)) return;
    queueLine(`-${pid}\n`, warn);
    if (guarded.size === 0) dismissTimer = setTimeout(dismiss, LINGER_MS).unref();
  };
}

function queueLine(line: string, warn: Warn): void {
  pendingLines += line;
  if (sendScheduled) return;
  sendScheduled = true;
  setImmediate(sendLines, warn);
}

function sendLines(warn: Warn): void {
  sendScheduled = false;
  guard?.send(pendingLines);
  pendingLines = '';
  if (guard === undefined) renew(warn);
  else replaceTimer ??= setTimeout(renew, REPLACE_MS, warn).unref();
}

/** Starts a new shell if necessary: a running shell cannot receive the stdin of another child. */
function renew(warn: Warn): void {
  stopTimers();
  if (guarded.size === 0 || guard?.holdsAll(guarded)) return;
  const lost = (ended: GuardProcess, reason: string): void => {
    if (ended.runs && guard !== ended) return;
    if (ended.runs) guard = undefined;
    if (steadyNow() - ended.since < SHORT_LIFE_MS) renewLater(warn, reason);
    else sendLines(warn);
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
  retryTimer = setTimeout(sendLines, SHORT_LIFE_MS, warn).unref();
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
  clearTimeout(retryTimer);
  clearTimeout(replaceTimer);
  replaceTimer = undefined;
}
