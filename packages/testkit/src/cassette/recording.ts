import { CALLBACK, type KindsOf, NAME, TEXT, TEXTS } from '@coxswain/shared/option-kinds';
import type { Transport } from 'coxswain/transport';
import { childTransport } from 'coxswain/transport';
import { checkArgument, checkOptions } from '../check-options.ts';
import type { JsonObject } from '../json.ts';
import { CassetteWriter } from './cassette-writer.ts';
import { RecordingTransport } from './recording-transport.ts';

/** Options of a recording. */
export interface RecordingOptions {
  /** Which CLI is recorded, as in the option `cli` of a run: `'auto'` (default), `'global'`, `'pinned'` or a path. */
  readonly cli?: string | undefined;
  /** Records what goes over this transport, instead of a CLI as a child process. */
  readonly inner?: (() => Transport) | undefined;
  /** Values that must not appear in the cassette, in addition to those that are found automatically. */
  readonly secrets?: readonly string[] | undefined;
  /** Edits a frame before it is written, after secrets are removed: may shorten it or remove more. */
  readonly scrub?: ((frame: JsonObject) => JsonObject) | undefined;
}

/** Pass this as `transport`: each run that starts becomes another run of the cassette. */
export interface Recording {
  (): Transport;
  /** Resolves when every run so far has ended and is in the file. @throws CassetteError when it could not be written, or no run was recorded */
  saved(): Promise<void>;
}

/**
 * Records runs of the CLI to a cassette; pass the result as `transport`. An existing file is replaced when the first run
 * has ended. While a run is being recorded, the host process stays alive until the CLI has exited.
 * @throws OptionsError for options that do not exist: a misspelt `secrets` would write the secrets to the file
 */
export function recording(file: string, options: RecordingOptions = {}): Recording {
  checkArgument('recording(file)', file, NAME);
  checkOptions('recording()', options, KINDS);
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

const KINDS: KindsOf<RecordingOptions> = { cli: TEXT, inner: CALLBACK, secrets: TEXTS, scrub: CALLBACK };
