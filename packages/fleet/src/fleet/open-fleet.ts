import { FleetInputError } from '../errors.ts';
import type { Authorize } from './answer.ts';
import { CONNECT_OPTIONS, type ConnectOptions, connect } from './connect.ts';
import { Fleet } from './fleet.ts';
import { checkedOptions } from './input.ts';

/** Options of `openFleet()`. */
export interface OpenFleetOptions extends ConnectOptions {
  /** Decides who may answer an approval; called before an answer of this process is accepted, also of its inspector page. */
  readonly authorize?: Authorize | undefined;
}

/**
 * Opens a fleet; creates or upgrades its tables unless `create` is false.
 * @throws FleetInputError, DatabaseUnavailableError, SchemaTooNewError, SchemaTooOldError, NoFleetError, EmbeddedPostgresMissingError
 */
export async function openFleet<Data = unknown>(options: OpenFleetOptions = {}): Promise<Fleet<Data>> {
  const { authorize } = checkedOptions(options, { ...CONNECT_OPTIONS, authorize: true });
  if (authorize !== undefined && typeof authorize !== 'function')
    throw new FleetInputError('authorize', 'must be a function.');
  return new Fleet<Data>(await connect(options, 'client'), authorize);
}
