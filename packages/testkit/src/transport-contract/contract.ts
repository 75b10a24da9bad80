import { AMOUNT, CALLBACK, type KindsOf, listOf } from '@coxswain/shared/option-kinds';
import { checkOptions } from '../check-options.ts';
import type { ContractAgent } from './agent.ts';
import { endingRules } from './ending.ts';
import { inputRules } from './input.ts';
import { outputRules } from './output.ts';
import type { ContractAbility, Rule } from './rule.ts';
import { Stage, type StagedTransport } from './stage.ts';
import { startingRules } from './starting.ts';

/** A transport, and how its agents are made. */
export interface TransportBench {
  /** Makes a fresh transport, not started, and the request that makes it run this agent. */
  open(agent: ContractAgent): StagedTransport | Promise<StagedTransport>;
  /** The same for a start that must fail, if possible. */
  failing?(): StagedTransport | Promise<StagedTransport>;
  /** What its agents cannot do; the rules that need it are skipped. */
  readonly cannot?: readonly ContractAbility[];
  /** How many bytes of output it may buffer; 8 MiB by default. */
  readonly holdsBytes?: number;
  /** How long each operation may take; 10 s by default. */
  readonly timeoutMs?: number;
}

/** One rule of the contract. */
export interface TransportRule {
  readonly name: string;
  /** The rule of `docs/contract.md` it belongs to. */
  readonly rule: 'A-1';
  /** @throws ContractViolation that says what the transport did */
  run(): Promise<void>;
}

/**
 * What a transport must do, as a list of checks for any test runner: `for (const { name, run } of
 * transportContract(bench)) it(name, run)`. Each check opens new transports and ends them.
 * @throws OptionsError for fields that do not exist
 */
export function transportContract(bench: TransportBench): readonly TransportRule[] {
  checkOptions('transportContract()', bench, KINDS);
  const cannot = new Set(bench.cannot);
  return [...startingRules, ...outputRules, ...inputRules, ...endingRules]
    .filter(({ needs }) => needs === undefined || !cannot.has(needs))
    .filter(({ agent }) => agent !== 'failing' || bench.failing !== undefined)
    .map((rule) => ({ name: rule.name, rule: 'A-1', run: () => runRule(rule, bench) }));
}

const KINDS: KindsOf<Required<TransportBench>> = {
  open: CALLBACK,
  failing: CALLBACK,
  cannot: listOf('see-start', 'ignore-signals', 'full-input', 'lines-at-once'),
  holdsBytes: AMOUNT,
  timeoutMs: AMOUNT,
};

async function runRule(rule: Rule, bench: TransportBench): Promise<void> {
  const holdsBytes = bench.holdsBytes ?? 8 * 1024 * 1024;
  const { agent } = rule;
  const staged =
    agent === 'failing'
      ? await bench.failing?.()
      : await bench.open(typeof agent === 'function' ? agent(holdsBytes) : agent);
  if (staged === undefined) return;
  const stage = new Stage(staged, bench.timeoutMs ?? 10_000);
  try {
    await rule.check(stage);
  } finally {
    await end(stage);
    await staged.close?.();
  }
}

/** Cleans up, whether the check passed or failed. */
async function end(stage: Stage): Promise<void> {
  if (!stage.started) return;
  stage.transport.signal('kill');
  await stage.exited();
  await stage.within('destroy()', Promise.resolve(stage.transport.destroy?.()));
}
