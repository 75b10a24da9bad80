import { CONNECT_OPTIONS, type ConnectOptions, connect } from './connect.ts';
import { Fleet } from './fleet.ts';
import { checkedOptions } from './input.ts';

/**
 * Opens a fleet; creates or upgrades its tables unless `create` is false.
 * @throws FleetInputError, DatabaseUnavailableError, SchemaTooNewError, SchemaTooOldError, NoFleetError, EmbeddedPostgresMissingError
 */
export async function openFleet<Data = unknown>(options: ConnectOptions = {}): Promise<Fleet<Data>> {
  return new Fleet<Data>(await connect(checkedOptions(options, CONNECT_OPTIONS), 'client'));
}
