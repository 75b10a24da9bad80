import { type Script, scriptedCli } from '@coxswain/testkit';

/** What an example runs on. */
export interface Agent extends AsyncDisposable {
  /** Goes into the options of `query`. */
  readonly cli: string;
  /** The prompt from the command line, if there is one. */
  readonly prompt: string | undefined;
}

/** The scripted agent: no key, no network. With `--real "your prompt"` the installed CLI instead. */
export async function pickAgent(scripted: Script): Promise<Agent> {
  const [flag, ...words] = process.argv.slice(2);
  if (flag === '--real') {
    return { cli: 'auto', prompt: words.join(' ') || undefined, [Symbol.asyncDispose]: async () => {} };
  }
  const cli = await scriptedCli(scripted);
  return { cli: cli.path, prompt: undefined, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() };
}
