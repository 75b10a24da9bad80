import { type Outcome, outcomeOf, textOf } from 'coxswain';
import { checkOutcome, checkText } from './arguments.ts';
import { differences, type Pattern, show, type TextPattern, textFits } from './pattern.ts';
import { type Received, sortOut } from './received.ts';
import { findText } from './texts.ts';
import { type Verdict, verdict } from './verdict.ts';

/** The model wrote this text. */
export function toHaveSaid(received: unknown, text: TextPattern): Verdict {
  checkText('toHaveSaid', text);
  const { messages } = sortOut(received, ['messages']);
  const texts = messages.filter((message) => message.type === 'assistant').map(textOf);
  return findText(
    'the model to have said',
    'It said',
    texts.filter((said) => said !== ''),
    text,
  );
}

/** The last turn completed. */
export function toHaveCompleted(received: unknown, text?: TextPattern): Verdict {
  if (text !== undefined) checkText('toHaveCompleted', text);
  const sorted = sortOut(received, ['messages']);
  const outcome = lastOutcome(sorted);
  const completed = outcome?.kind === 'completed';
  return {
    ...verdict({
      pass: completed && (text === undefined || textFits(text, outcome.text)),
      wanted: `a turn that completed${text === undefined ? '' : ` with the text ${show(text)}`}`,
      listed: 'It ended with',
      seen: describeEnd(sorted, outcome),
    }),
    actual: completed ? outcome.text : outcome,
    ...(text !== undefined && { expected: text }),
  };
}

/** The last turn ended with this outcome. */
export function toHaveEndedWith(received: unknown, kind: Outcome['kind'], details?: Pattern): Verdict {
  checkOutcome(kind, details);
  const sorted = sortOut(received, ['messages']);
  const outcome = lastOutcome(sorted);
  const pattern = { ...Object(details), kind };
  const wrong = outcome === undefined ? [] : differences(pattern, outcome);
  return {
    ...verdict({
      pass: outcome !== undefined && wrong.length === 0,
      wanted: `a turn that ended with ${details === undefined ? kind : show(pattern)}`,
      listed: 'It ended with',
      seen: [...describeEnd(sorted, outcome), ...(outcome?.kind === kind ? wrong : [])],
    }),
    actual: outcome,
    expected: pattern,
  };
}

/** The end of the last turn; limits are reported by earlier messages. */
function lastOutcome({ messages }: Received): Outcome | undefined {
  const result = messages.findLast((message) => message.type === 'result');
  const rateLimit = messages.findLast((message) => message.type === 'rate_limit_event');
  return result && outcomeOf(result, { rateLimit });
}

function describeEnd({ failure }: Received, outcome: Outcome | undefined): string[] {
  const end = outcome === undefined ? 'no result' : show(outcome);
  return failure === undefined ? [end] : [end, `the stream failed: ${failure.name}: ${failure.message}`];
}
