/** True if the object has only own enumerable fields with names: none is inherited, computed by a class, hidden, or a symbol. */
export function isPlain(value: object): boolean {
  return Reflect.ownKeys(value).length === Object.keys(value).length && !inheritsFields(value);
}

/** True if a class, or another object, adds fields. */
export function inheritsFields(value: object): boolean {
  for (
    let above = Object.getPrototypeOf(value);
    above !== null && !isRoot(above);
    above = Object.getPrototypeOf(above)
  ) {
    if (Object.getOwnPropertyNames(above).some((name) => name !== 'constructor')) return true;
  }
  return false;
}

/** The prototype of all objects, in this realm or in another. */
function isRoot(prototype: object): boolean {
  if (prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}
