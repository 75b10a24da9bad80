import { readFileSync } from 'node:fs';

/** The answers of the recorded client to the CLI's requests, in order. */
export function sentAnswers(name: string): readonly object[] {
  return readFileSync(new URL(`../fixtures/recordings/${name}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { dir: string; line: string })
    .filter(({ dir }) => dir === 'in')
    .map(({ line }) => JSON.parse(line) as { type: string; response?: { response?: object } })
    .flatMap(({ type, response }) => (type === 'control_response' && response?.response ? [response.response] : []));
}

/** The requests of one kind in a recording. */
export function askedRequests(name: string, subtype: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(new URL(`../fixtures/recordings/${name}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes(subtype))
    .map((line) => JSON.parse(line) as { dir: string; line: string })
    .filter(({ dir }) => dir === 'out')
    .map(({ line }) => JSON.parse(line) as { type: string; request?: Readonly<Record<string, unknown>> })
    .flatMap(({ request }) => (request?.subtype === subtype ? [request] : []));
}
