/** What a line typed in a chat asks for. */
export type ChatLine =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'exit' | 'clear' | 'cost' | 'help' | 'nothing' }
  | { readonly kind: 'model'; readonly name: string | undefined };

/** Reads a line. Commands it does not know are left to the CLI, which has its own. */
export function parseLine(line: string): ChatLine {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  const [command = '', ...rest] = text.split(/\s+/);
  switch (command) {
    case '/exit':
    case '/quit':
      return { kind: 'exit' };
    case '/clear':
      return { kind: 'clear' };
    case '/cost':
      return { kind: 'cost' };
    case '/help':
      return { kind: 'help' };
    case '/model':
      return { kind: 'model', name: rest[0] };
    default:
      return { kind: 'prompt', text };
  }
}

/** What `/help` prints. */
export const CHAT_HELP: readonly string[] = [
  '/model [name]  the models there are; the one to go on with',
  '/clear         forgets the conversation and starts a new one',
  '/cost          what it has cost so far',
  '/exit          leaves; so does Ctrl-D',
  'Any other /command goes to Claude Code. A line that ends in \\ goes on in the next one.',
];
