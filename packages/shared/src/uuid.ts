/** A whole text that is a UUID, such as the id of a session. */
export const UUID: RegExp = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
