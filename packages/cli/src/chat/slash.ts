/** The meaning of a line typed in a chat. */
export type ChatLine =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'exit' | 'clear' | 'cost' | 'help' | 'nothing' }
  | { readonly kind: 'model'; readonly name: string | undefined };

/** Parses a line. Unknown commands are passed to the CLI, which has its own. */
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

/** The output of `/help`. */
export const CHAT_HELP: readonly string[] = [
  '/model [name]  lists the models, or switches to one',
  '/clear         forgets the conversation and starts a new one',
  '/cost          the cost so far',
  '/exit          exits; so does Ctrl-D',
  'Any other /command goes to Claude Code. A line that ends in \\ continues on the next one.',
];
