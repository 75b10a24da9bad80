import type { ApiRequest } from '@coxswain/testkit';
import { requestTrace } from '../trace/request-trace.ts';
import type { RequestTrace } from '../trace/trace.ts';

/** The distinct requests of a run, at most a few: a conversation repeats what the first one has. */
export class RequestTraces {
  readonly distinct: RequestTrace[] = [];
  name: (text: string) => string = (text) => text;
  release: string | undefined;
  readonly #keys = new Set<string>();

  add(request: ApiRequest): void {
    this.release ??= /claude-cli\/(\d+\.\d+\.\d+)/.exec(String(request.headers['user-agent'] ?? ''))?.[1];
    if (this.distinct.length >= 20) return;
    const trace = requestTrace(request, request.kind === 'subagent' ? 'subagent' : 'main', this.name);
    const key = JSON.stringify(trace);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.distinct.push(trace);
  }
}
