/** The CLI that `cli: 'pinned'` installs. */
export const PINNED_VERSION = '2.1.325';
