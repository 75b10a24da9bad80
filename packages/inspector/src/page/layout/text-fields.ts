/** A selector for elements that accept typed text. */
export const TEXT_FIELDS =
  'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';
