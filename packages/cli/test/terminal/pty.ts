import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { VirtualScreen } from './virtual-screen.ts';

/** The built command, as installed by npm. */
export const COX: string = fileURLToPath(new URL('../../dist/cox.mjs', import.meta.url));

/** A program in a real terminal. */
export interface TerminalRun extends AsyncDisposable {
  readonly screen: VirtualScreen;
  /** Its unmodified output. */
  readonly raw: string;
  /** Waits until the screen shows this. @throws Error with the screen if it does not appear. */
  until(pattern: RegExp, timeoutMs?: number): Promise<void>;
  /** Types keys; `\u0003` is Ctrl-C. */
  press(keys: string): void;
  /** Types keys repeatedly until the screen shows this: a list does not show when it starts to accept keys. */
  pressUntil(keys: string, pattern: RegExp): Promise<void>;
  /** The exit code, once it has exited. */
  readonly ended: Promise<number | null>;
}

/** How to run a program in a terminal. */
export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/**
 * Runs a command line in a pseudo-terminal, created by util-linux's `script`, which every Debian has. The size must be
 * set inside, because the terminal whose size would be copied is a pipe here.
 */
export function inTerminal(commandLine: string, options: PtyOptions = {}): TerminalRun {
  const { columns = 80, rows = 30 } = options;
  const screen = new VirtualScreen(columns, rows);
  const line = `stty cols ${columns} rows ${rows}; ${commandLine}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd: options.cwd,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      COX_DEMO_PACE_MS: '1',
      ...options.env,
    },
  });
  let raw = '';
  const startedAt = performance.now();
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of waiting) check();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    screen.write(text, performance.now() - startedAt);
    wake();
  });
  child.stdin.on('error', () => {});
  let hasExited = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      hasExited = true;
      wake();
      resolve(code);
    });
  });
  ended.catch(() => {});
  const until = (pattern: RegExp, timeoutMs = 30_000): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        waiting.delete(check);
        act();
      };
      const give = (why: string): void => settle(() => reject(new Error(`${why}: ${pattern}\n${screen.text}`)));
      const check = (): void => {
        if (pattern.test(screen.text)) settle(resolve);
        else if (hasExited) give('It ended without');
      };
      const timer = setTimeout(() => give('Timed out waiting for'), timeoutMs);
      waiting.add(check);
      check();
    });
  const press = (keys: string): void => void child.stdin.write(keys);
  return {
    screen,
    get raw() {
      return raw;
    },
    ended,
    press,
    until,
    async pressUntil(keys, pattern) {
      const pressing = setInterval(() => press(keys), 600);
      await until(pattern).finally(() => clearInterval(pressing));
    },
    async [Symbol.asyncDispose]() {
      if (!hasExited) child.kill('SIGKILL');
      await ended.catch(() => {});
    },
  };
}

/** A command line that starts cox with these arguments. */
export function cox(...args: string[]): string {
  return [process.execPath, COX, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
