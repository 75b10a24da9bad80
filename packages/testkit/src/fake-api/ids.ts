/** The ids of one reply: its message and its tool calls. */
export interface ReplyIds {
  readonly message: string;
  readonly toolUse: () => string;
}

/** Creates ids in the API's format that are unique to a server and the same in every run. */
export function idMaker(): () => ReplyIds {
  let replies = 0;
  let tools = 0;
  return () => {
    replies += 1;
    return {
      message: id('msg', replies),
      toolUse: () => {
        tools += 1;
        return id('toolu', tools);
      },
    };
  };
}

function id(prefix: string, number: number): string {
  return `${prefix}_01Fake${String(number).padStart(18, '0')}`;
}
