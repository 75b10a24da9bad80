/** Loaded when a session function is called, because most programs call none. */
export const transcripts = (): Promise<typeof import('coxswain/transcripts')> => import('coxswain/transcripts');
