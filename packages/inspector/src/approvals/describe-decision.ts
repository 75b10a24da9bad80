import type { PermissionDecision, PermissionRequest } from 'coxswain';
import type { ApprovalScope, AuditEntry } from '../api.ts';
import { cut, indented, oneLine, SHOWN } from '../transcript/cut.ts';
import { argumentOf } from '../transcript/tool-call.ts';

/** Describes a person's decision for the audit. */
export function describeDecision(
  { toolName, input }: Pick<PermissionRequest, 'toolName' | 'input'>,
  decision: PermissionDecision,
  redact: (text: string) => string,
  scope: ApprovalScope | null = null,
): Pick<AuditEntry, 'action' | 'note' | 'detail'> {
  const asked = argumentOf({ ...input }, redact);
  const call = (what: string): string => (what === '' ? toolName : `${toolName}: ${what}`);
  const entry = (action: string, note: string, written?: object): Pick<AuditEntry, 'action' | 'note' | 'detail'> => ({
    action,
    note: oneLine(redact(note), 500),
    // The full text is not stored anywhere.
    detail: written === undefined ? null : cut(redact(indented(written)), SHOWN.text, () => '').text,
  });
  switch (decision.decision) {
    case 'allow': {
      const { updatedInput, updatedPermissions = [] } = decision;
      const how = scope === null ? (updatedPermissions.length > 0 ? ', with rules' : '') : SCOPES[scope];
      if (updatedInput === undefined) return entry('allow', `${call(asked)}${how}`);
      const note = `${call(argumentOf({ ...updatedInput }, redact))}, edited; asked for: ${asked}${how}`;
      return entry('allow', note, updatedInput);
    }
    case 'answerQuestions': {
      const pairs = Object.entries(decision.answers);
      const note = pairs.map(([question, chosen]) => `${question} → ${[chosen].flat().join(', ')}`).join('; ');
      return entry('answer', note, decision.answers);
    }
    case 'deny':
    case 'stopTurn':
      return entry('deny', `${call(asked)}: ${decision.reason}`);
    case 'decideLater':
      return entry('decideLater', call(asked));
  }
}

const SCOPES: Readonly<Record<ApprovalScope, string>> = {
  once: '',
  session: ', for the session',
  always: ', always',
  mode: ', and the suggested permission mode for the session',
};
