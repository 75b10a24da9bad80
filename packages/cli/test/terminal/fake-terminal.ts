import { PassThrough, Writable } from 'node:stream';
import type { Terminal } from '../../src/terminal/terminal.ts';
import { VirtualScreen } from './virtual-screen.ts';

/** A terminal in memory whose keys the test presses. */
export interface FakeTerminal {
  readonly terminal: Terminal;
  readonly screen: VirtualScreen;
  press(keys: string): void;
  /** True if keys arrive one by one, without an echo. */
  readonly isRaw: boolean;
}

/** Creates a terminal whose screen shows stdout and stderr. */
export function fakeTerminal(columns = 60, rows = 30): FakeTerminal {
  const screen = new VirtualScreen(columns, rows);
  let isRaw = false;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(raw: boolean) {
      isRaw = raw;
    },
  });
  const output = (): Writable =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(text: string, _encoding, done) {
          screen.write(text.replaceAll('\n', '\r\n'));
          done();
        },
      }),
      { isTTY: true, columns, rows },
    );
  return {
    // The parts of a terminal that prompts and screens use.
    terminal: { stdin, stdout: output(), stderr: output(), env: { TERM: 'xterm' } } as unknown as Terminal,
    screen,
    press: (keys) => void stdin.write(keys),
    get isRaw() {
      return isRaw;
    },
  };
}
