/** What a person types into, as a selector. */
export const TEXT_FIELDS =
  'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';
