import { NO_COST } from '../messages/turn-cost.ts';
import type { Report } from '../report/report.ts';
import type { ResultMessage } from '../wire/messages.ts';

/** Reports a turn that is not sent because the budget of its session is spent. */
export function reportSpent(report: Report, turn: string, result: ResultMessage): void {
  report.event({ type: 'turn-started', turn });
  report.message(result, JSON.stringify(result), turn, Date.now());
  report.event({ type: 'turn-ended', turn, outcome: 'budget', costUsd: 0, cost: NO_COST });
}
