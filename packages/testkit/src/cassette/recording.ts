import type { Transport } from 'coxswain';
import { childTransport } from 'coxswain/transport';
import type { JsonObject } from '../scripted/script-data.ts';
import { CassetteWriter } from './cassette-writer.ts';
import { RecordingTransport } from './recording-transport.ts';

/** How a recording is made. */
export interface RecordingOptions {
  /** Which CLI is recorded, as in the option `cli` of a run: `'auto'` (default), `'global'`, `'pinned'` or a path. */
  readonly cli?: string | undefined;
  /** Records what goes over this transport, instead of a CLI as a child process. */
  readonly inner?: (() => Transport) | undefined;
  /** Values that must not stand in the cassette, besides those that are found without being named. */
  readonly secrets?: readonly string[] | undefined;
  /** Has the last word on a frame before it is written, already without secrets: shortens it, or takes more out. */
  readonly scrub?: ((frame: JsonObject) => JsonObject) | undefined;
}

/** What `transport` takes: each run that starts becomes one more run of the cassette. */
export interface Recording {
  (): Transport;
  /** Resolves when every run so far has ended and stands in the file. @throws CassetteError when it could not be written */
  saved(): Promise<void>;
}

/**
 * Records runs of the CLI to a cassette: goes where a `transport` goes. An existing file is replaced when the first run
 * has ended. While something is recorded, the host lives until the CLI has left.
 */
export function recording(file: string, options: RecordingOptions = {}): Recording {
  const writer = new CassetteWriter(file);
  const make = (): Transport => {
    const inner = options.inner?.() ?? childTransport({ orphanGuard: true });
    return new RecordingTransport(inner, writer, {
      cli: options.inner ? undefined : (options.cli ?? 'auto'),
      secrets: options.secrets ?? [],
      scrub: options.scrub ?? ((frame) => frame),
    });
  };
  return Object.assign(make, { saved: () => writer.saved() });
}
