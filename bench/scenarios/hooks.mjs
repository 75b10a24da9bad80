import { roundTrips } from '../round-trips.mjs';

export function run() {
  return roundTrips('hooks');
}
