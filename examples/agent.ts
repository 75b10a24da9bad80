import { type Script, scriptedCli } from '@coxswain/testkit';

/** The CLI that an example runs on. */
export interface Agent extends AsyncDisposable {
  /** The `cli` option of `query`. */
  readonly cli: string;
  /** The prompt from the command line, if given. */
  readonly prompt: string | undefined;
}

/** Picks the scripted agent, which needs no key and no network; with `--real "your prompt"`, the installed CLI. */
export async function pickAgent(scripted: Script): Promise<Agent> {
  const [flag, ...words] = process.argv.slice(2);
  if (flag === '--real') {
    return { cli: 'auto', prompt: words.join(' ') || undefined, [Symbol.asyncDispose]: async () => {} };
  }
  const cli = await scriptedCli(scripted);
  return { cli: cli.path, prompt: undefined, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() };
}
