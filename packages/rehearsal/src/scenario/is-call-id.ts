/** True for an id that the API accepts, and that is a field of no object, because results are found by it. */
export function isCallId(id: string): boolean {
  return /^[\w-]{1,100}$/.test(id) && !(id in {});
}
