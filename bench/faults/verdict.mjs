/** The possible ends of a run, best first, each with its description. */
export const KINDS = {
  answered: 'the right result, and the fault is reported',
  unreported: 'the right result, and the fault is not reported',
  'no-result': 'no result and no error, but the fault is reported',
  typed: 'an error with its own class',
  untyped: 'an error without one',
  wrong: 'a wrong result, or a value that did not arrive',
  lost: 'ended like a success, without a result',
  hung: 'hung',
  memory: 'unbounded memory',
  crashed: 'the host died',
};

/** Errors of the language or the runtime, and errors without a specific class. */
const BUILT_IN = /^(Error|TypeError|RangeError|SyntaxError|ReferenceError|SystemError|AggregateError|DOMException)$/;

/** The verdict on a run: a kind, and a description. */
export function verdict(seen, expected) {
  const kind = kindOf(seen, expected);
  return { kind, words: [wordsOf(kind, seen), ...extras(seen)].join('; ') };
}

function kindOf({ begun, ended, after, stopped, code, signal }, expected) {
  if (!begun) throw new Error('The host did not start');
  if (stopped === 'memory' || stopped === 'hung') return stopped;
  if (stopped !== 'lingers' && (code !== 0 || signal !== null)) return 'crashed';
  // No process remains that could continue.
  if (!ended) return 'hung';
  if (ended.error) return BUILT_IN.test(ended.error.class) ? 'untyped' : 'typed';
  if (!ended.result) return ended.reports.length > 0 ? 'no-result' : 'lost';
  if (after?.arrived === false) return 'wrong';
  if (expected.text !== undefined && ended.result.text !== expected.text) return 'wrong';
  const mustBeReported = [...(expected.warnings ?? []), ...(expected.errors ?? [])].length > 0;
  const asExpected = expected.outcome === 'completed' || expected.outcome.startsWith('outcome:');
  const isReported = ended.reports.length > 0 || ended.timed;
  return (mustBeReported || !asExpected) && !isReported ? 'unreported' : 'answered';
}

function wordsOf(kind, { ended, after, stderr, code }) {
  const { error, reports = [], result } = ended ?? {};
  switch (kind) {
    case 'typed':
      return error.code ? `\`${error.class}\` (${error.code})` : `\`${error.class}\``;
    case 'untyped':
      return `\`${error.class}\`: ${short(error.line)}`;
    case 'crashed':
      return `the host died: ${short(/^\S*(?:Error|Rejection)\b.*$/m.exec(stderr)?.[0] ?? `exit code ${code}`)}`;
    case 'wrong':
      return after?.arrived === false ? 'the value did not arrive' : `wrong result: ${short(String(result.text))}`;
    case 'answered':
      if (ended.timed) return 'the result of an interrupted turn';
      return reports.length > 0 ? `result, reported: ${counted(reports)}` : 'result';
    case 'unreported':
      return 'result, nothing reported';
    case 'no-result':
      return `no result, reported: ${counted(reports)}`;
    case 'lost':
      return 'no result, no error, nothing reported';
    case 'memory':
      return 'more than 1.5 GB of memory';
    default:
      return ended === undefined ? 'no end within 10 s' : KINDS[kind];
  }
}

/** Further observations. */
function extras({ ended, after, stopped, leftAfter }) {
  const { notes = [], error } = ended ?? {};
  const { tools = [], left = 0 } = after ?? {};
  return [
    tools.length > 0 && `tool ${tools.join(', ')}`,
    notes.length > 0 && `also: ${short(notes.join(', '))}`,
    left > 0 && `**${processes(left)} left**`,
    left === 0 && ended && leftAfter > 0 && `**${processes(leftAfter)} left after the host**`,
    stopped === 'lingers' && 'the host cannot exit',
    error?.spills.length > 0 && `secrets in the error: ${error.spills.join(', ')}`,
  ].filter(Boolean);
}

function processes(count) {
  return count === 1 ? '1 process' : `${count} processes`;
}

function counted(codes) {
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => (count > 1 ? `${count} × ${code}` : code)).join(', ');
}

function short(text) {
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}
