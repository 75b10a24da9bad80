/** The oldest CLI that runs a one-shot query: 0.2.114, the release before, prints another format. Measured. */
export const MINIMUM_QUERY_VERSION = '0.2.118';

/** The oldest CLI that runs the turns of a session: 1.0.85, the release before, cannot say whose turn it is. Measured. */
export const MINIMUM_SESSION_VERSION = '1.0.86';

/** The CLI that `cli: 'pinned'` installs. */
export const PINNED_VERSION = '2.1.325';
