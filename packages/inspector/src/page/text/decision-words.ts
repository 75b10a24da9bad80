const WORDS: ReadonlyMap<string, string> = new Map([
  ['allow', 'allowed'],
  ['deny', 'denied'],
  ['answerQuestions', 'answered'],
  ['answer', 'answered'],
  ['replaced', 'replaced by another request'],
]);

/** The end of a request in words. */
export function decisionInWords(decision: string): string {
  return WORDS.get(decision) ?? `no longer needs an answer (${decision})`;
}
