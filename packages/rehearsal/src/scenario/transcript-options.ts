/** How to read a conversation. */
export interface TranscriptOptions {
  /** Its name in reports. Default: the name of the file or the id of the session. */
  readonly name?: string;
  /** A conversation with more tool calls is refused. Default: 2,000. */
  readonly maxCalls?: number;
}
