import { checkText } from './arguments.ts';
import { type TextPattern, textFits } from './pattern.ts';
import { type ReceivedRehearsal, sortOut } from './received.ts';
import { type Verdict, verdict } from './verdict.ts';

/** Today's side decided about every call as in the recording, and every conversation could be rehearsed. */
export function toDecideAsRecorded(received: unknown): Verdict {
  const { rehearsals } = sortOut(received, ['rehearsals']);
  const failed = rehearsals.flatMap(({ scenario, failure }) =>
    failure === undefined ? [] : [`${scenario}: ${failure}`],
  );
  const changed = rehearsals.flatMap(linesOf);
  return verdict({
    pass: rehearsals.length > 0 && failed.length === 0 && changed.length === 0,
    wanted: 'the calls to be decided as recorded',
    listed: rehearsals.length === 0 ? 'Rehearsed conversations' : 'Differences',
    seen: [...failed, ...changed],
  });
}

/** A call, a field or a tool came out differently; `after` is what it is now. */
export function toHaveChanged(received: unknown, subject: TextPattern, after?: TextPattern): Verdict {
  checkText('toHaveChanged', subject);
  if (after !== undefined) checkText('toHaveChanged', after);
  const { rehearsals } = sortOut(received, ['rehearsals']);
  const differences = rehearsals.flatMap((rehearsal) => rehearsal.differences ?? []);
  return verdict({
    pass: differences.some(
      (difference) =>
        textFits(subject, difference.subject) && (after === undefined || textFits(after, difference.after)),
    ),
    wanted: 'such a difference',
    listed: 'Differences',
    seen: rehearsals.flatMap(linesOf),
  });
}

function linesOf({ scenario, differences = [] }: ReceivedRehearsal): string[] {
  return differences.map(({ subject, before, after, reason }) => {
    const because = reason === undefined ? '' : `: ${reason}`;
    return `${scenario}: ${subject}: ${before} → ${after}${because}`;
  });
}
