import type { CostAccount } from '../conversation/cost-ledger.ts';
import { planSessionRun, type SessionPlan } from '../conversation/plan.ts';
import type { TurnRequest } from '../conversation/turn.ts';
import type { TurnSettings } from '../conversation/turn-settings.ts';
import { OptionsError } from '../errors/options.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { RunPlan } from '../options/plan.ts';
import { profileOf } from '../options/process-options.ts';
import type { ResumedRequest } from '../park/parked-request.ts';
import { SessionBudget } from '../session/session-budget.ts';
import type { UserContent } from '../wire/messages.ts';
import { nextPlan, type ResumeState, startMode } from './resume-state.ts';

/** The start options of a CLI for a turn. */
export interface ProcessNeeds {
  /** The same for all turns that one CLI can run; '' for those without options of this kind. */
  readonly profile: string;
  readonly plan: RunPlan;
  /** The turn's own budget. */
  readonly maxBudgetUsd?: number | undefined;
}

/** Plans a session with options of a turn over its own. @throws OptionsError */
export type PlanTurn = (options: AgentOptions) => RunPlan;

/** The data with which a restarting session starts its CLIs. */
export interface RestartingPlans {
  readonly plan: RunPlan;
  readonly planTurn: PlanTurn;
  /** The parked request that the first one resumes. */
  readonly parked?: ResumedRequest | undefined;
}

/** The plan of one CLI process. The caller's signal ends the whole session, so the process does not get it. */
export function processPlan(plan: RunPlan, parked: ResumedRequest | undefined): SessionPlan {
  return planSessionRun({ ...plan, options: { ...plan.options, signal: undefined } }, parked);
}

/** Decides what each CLI of a restarting session is started with, and which turns it can run. */
export class SessionProcesses {
  readonly budget: SessionBudget;
  readonly #own: ProcessNeeds;
  readonly #planTurn: PlanTurn;
  #current: ProcessNeeds;

  constructor(plan: RunPlan, planTurn: PlanTurn, account: CostAccount) {
    this.budget = new SessionBudget(plan.options.maxBudgetUsd, account);
    this.#own = { profile: '', plan };
    this.#planTurn = planTurn;
    this.#current = this.#own;
  }

  /** The start options of the newest CLI. */
  get current(): ProcessNeeds {
    return this.#current;
  }

  /** The start options that a turn needs, or the problem of its options in this session. */
  needsOf({ id, process = {} }: Pick<TurnRequest<unknown>, 'id' | 'process'>): ProcessNeeds | OptionsError {
    const profile = profileOf(process, id);
    if (profile === '') return this.#own;
    try {
      return { profile, plan: this.#planTurn(process), maxBudgetUsd: process.maxBudgetUsd };
    } catch (error) {
      if (error instanceof OptionsError) return error;
      throw error;
    }
  }

  /** Whether a prompt can go to the newest CLI, needs another one, or finds the budget of the session spent. */
  readinessOf({ content, needs }: { readonly content: UserContent; readonly needs: ProcessNeeds }): Readiness {
    // A clear() has no cost.
    if (content === '/clear') return 'ready';
    if (needs.profile === this.#current.profile && !this.budget.outdated) return 'ready';
    return this.budget.spent ? 'spent' : 'replace';
  }

  /** The plan of the next CLI, for a turn or for the session itself. */
  next(needs: ProcessNeeds | undefined, resume: ResumeState, settings: TurnSettings): RunPlan {
    this.#current = needs ?? this.#own;
    this.budget.opened();
    const { plan, maxBudgetUsd = Number.POSITIVE_INFINITY } = this.#current;
    const next = nextPlan(plan, resume, startMode(resume), settings);
    const limitUsd = Math.min(maxBudgetUsd, this.budget.leftUsd ?? Number.POSITIVE_INFINITY);
    return { ...next, options: { ...next.options, maxBudgetUsd: Number.isFinite(limitUsd) ? limitUsd : undefined } };
  }
}

type Readiness = 'ready' | 'replace' | 'spent';
