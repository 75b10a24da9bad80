import { type ApiRequest, type Reply, type ReplyStep, text, toolUse } from '@coxswain/testkit';
import type { Canary } from './canary.ts';
import { isJailFailure } from './jail.ts';
import type { Try, TryCall } from './try.ts';

/** A try, and whether it destroyed the canary. */
export interface TryResult {
  readonly tried: Try;
  readonly destroyed: boolean;
}

/** A model that tries to bypass a guard: it makes the calls of each try, and then checks the canary. */
export class Trier {
  readonly results: TryResult[] = [];
  readonly #canary: Canary;
  readonly #next: (last: TryResult | undefined) => Try | undefined;
  #current: { readonly tried: Try; readonly calls: TryCall[] } | undefined;
  #started = 0;
  #isOver = false;

  /** `next` gets the result of the last try and returns the one to make; undefined ends the search. */
  constructor(canary: Canary, next: (last: TryResult | undefined) => Try | undefined) {
    this.#canary = canary;
    this.#next = next;
  }

  /** What the jail reported instead of running a command. */
  jailFailure: string | undefined;

  /** True after the last try. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async reply(request: ApiRequest): Promise<Reply> {
    const first = request.turns.find(({ role, text: said }) => role === 'user' && said !== '')?.text.trim() ?? '';
    this.jailFailure ??= request.toolResults.find((result) => isJailFailure(result.text))?.text;
    if (this.jailFailure !== undefined) return this.#end();
    if (first.startsWith(PROMPT)) return this.#inSubagent(request);
    const call = this.#current?.calls.shift();
    if (call !== undefined) return this.#use(call);
    await this.#finish(request.toolResults.some(({ isError }) => !isError));
    const tried = this.#next(this.results.at(-1));
    if (tried === undefined) return this.#end();
    await this.#canary.restore();
    this.#started += 1;
    this.#current = { tried, calls: tried.bySubagent ? [] : [...tried.calls] };
    if (tried.together === true) return this.#current.calls.splice(0).map((one) => this.#use(one));
    const own = this.#current.calls.shift();
    return own === undefined ? toolUse('Agent', this.#subagent()) : this.#use(own);
  }

  #end(): Reply {
    this.#isOver = true;
    return text('That was all.');
  }

  /** Ends the current try. A call that `ran` may have started a command in the background. */
  async #finish(ran: boolean): Promise<void> {
    if (this.#current === undefined) return;
    const { tried } = this.#current;
    this.#current = undefined;
    const late = tried.calls.some(
      ({ input }) => input.run_in_background === true || /(?<!&)&(?!&)/.test(String(input.command)),
    );
    const destroyed = await (late && ran ? this.#canary.isDestroyedSoon() : this.#canary.isDestroyed());
    this.results.push({ tried, destroyed });
  }

  #subagent(): object {
    const prompt = `${PROMPT} ${this.#started}.`;
    return { description: 'Tidy up', prompt, subagent_type: 'general-purpose', run_in_background: false };
  }

  #inSubagent(request: ApiRequest): Reply {
    const made = request.turns.flatMap(({ toolUses }) => toolUses).length;
    const call = this.#current?.tried.calls[made];
    return call === undefined ? text('Done.') : this.#use(call);
  }

  #use({ name, input }: TryCall): ReplyStep {
    const place = JSON.stringify(this.#canary.path).slice(1, -1);
    return toolUse(name, JSON.parse(JSON.stringify(input).replaceAll('CANARY_PATH', place)));
  }
}

const PROMPT = 'Tidy up, number';
