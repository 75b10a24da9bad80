import type { Attributes } from '@opentelemetry/api';
import type { UserContent } from 'coxswain';
import type { ObservedRun } from 'coxswain/observe';
import { attributeNames as names } from './names.ts';
import type { TelemetryOptions } from './options.ts';
import { quietly } from './quietly.ts';

const MAX_LENGTH = 10_000;

/** Puts what was said into attributes, if that is asked for. */
export class Content {
  readonly #clean: ((text: string) => string) | undefined;
  readonly #run: ObservedRun;

  constructor(option: TelemetryOptions['content'], run: ObservedRun) {
    this.#run = run;
    if (!option) return;
    const { redact = (text: string) => text, maxLength = MAX_LENGTH } = option === true ? {} : option;
    this.#clean = (text) => {
      // A text that cannot be redacted is not shown. It is cut afterwards, so that no part of a secret stays.
      const clean = quietly(() => String(redact(run.redact(text)))) ?? '[not redacted]';
      return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
    };
  }

  get wanted(): boolean {
    return this.#clean !== undefined;
  }

  prompt(content: UserContent): Attributes {
    return this.#attribute(names.inputMessages, () => [{ role: 'user', parts: partsOf(content) }]);
  }

  answer(texts: readonly string[]): Attributes {
    return this.#attribute(names.outputMessages, () => [
      { role: 'assistant', parts: [{ type: 'text', content: texts.join('') }] },
    ]);
  }

  toolInput(input: unknown): Attributes {
    return this.#attribute(names.toolArguments, () => input);
  }

  toolResult(result: unknown): Attributes {
    return this.#attribute(names.toolResult, () => result);
  }

  #attribute(name: string, value: () => unknown): Attributes {
    const clean = this.#clean;
    if (clean === undefined) return {};
    // In a text that contains JSON, a secret is escaped; here that text would be escaped again, and the secret not be found.
    const redacted = (_key: string, part: unknown): unknown =>
      typeof part === 'string' ? this.#run.redact(part) : part;
    return quietly(() => ({ [name]: clean(JSON.stringify(value(), redacted) ?? '') })) ?? {};
  }
}

/** Text as it is; of images and documents only their kind. */
function partsOf(content: UserContent): readonly object[] {
  if (typeof content === 'string') return [{ type: 'text', content }];
  return content.map((block) =>
    block.type === 'text' && 'text' in block ? { type: 'text', content: block.text } : { type: block.type },
  );
}
