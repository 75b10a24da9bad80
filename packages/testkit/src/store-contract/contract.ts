import { AMOUNT, CALLBACK, type KindsOf, listOf } from '@coxswain/shared/option-kinds';
import type { SessionKey, SessionStore } from 'coxswain/store';
import { checkOptions } from '../check-options.ts';
import { ContractViolation } from '../transport-contract/stage.ts';
import { appendRules } from './append.ts';
import { blobRules, deleteRules, listRules } from './optional.ts';
import { raceRules } from './races.ts';
import type { OpenStore, StoreNeed, StoreRuleCheck } from './rule.ts';

/** The optional parts of a store. */
export type StorePart = 'listSessions' | 'delete' | 'listSubkeys' | 'blobs';

/** How the stores of an adapter are made. */
export interface StoreBench {
  /** Opens a store that is empty, at least for keys it has never seen. */
  open(): OpenStore | Promise<OpenStore>;
  /** Opens another writer on the same data as this store, as another process would, if the adapter can. */
  reopen?(store: SessionStore): OpenStore | Promise<OpenStore>;
  /**
   * Leaves the data of a transcript as a crash in the middle of `append` could, if the adapter can: a part of a batch that was
   * never confirmed.
   */
  tear?(store: SessionStore, key: SessionKey): void | Promise<void>;
  /** The optional parts that the adapter does not have; the rules that need them are left out. */
  readonly without?: readonly StorePart[];
  /** How long each rule may take; 30 s by default. */
  readonly timeoutMs?: number;
}

/** One rule of the contract. */
export interface StoreRule {
  readonly name: string;
  /** The rule of `docs/contract.md` it belongs to. */
  readonly rule: 'G-3' | 'G-6';
  /** @throws ContractViolation that says what the store did */
  run(): Promise<void>;
}

/**
 * What a session store must do, as a list of checks for any test runner: `for (const { name, run } of storeContract(bench))
 * it(name, run)`. Each check opens a store of its own.
 * @throws OptionsError for fields that do not exist
 */
export function storeContract(bench: StoreBench): readonly StoreRule[] {
  checkOptions('storeContract()', bench, KINDS);
  const without = new Set<string>(bench.without);
  const lacks = (need: StoreNeed): boolean =>
    need === 'reopen' || need === 'tear' ? bench[need] === undefined : without.has(need);
  return [...appendRules, ...raceRules, ...listRules, ...deleteRules, ...blobRules]
    .filter(({ needs = [] }) => !needs.some(lacks))
    .map((rule) => ({ name: rule.name, rule: rule.rule, run: () => runRule(rule, bench) }));
}

const KINDS: KindsOf<Required<StoreBench>> = {
  open: CALLBACK,
  reopen: CALLBACK,
  tear: CALLBACK,
  without: listOf('listSessions', 'delete', 'listSubkeys', 'blobs'),
  timeoutMs: AMOUNT,
};

async function runRule(rule: StoreRuleCheck, bench: StoreBench): Promise<void> {
  const { timeoutMs = 30_000 } = bench;
  const opened = await bench.open();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const violation = new ContractViolation(`The store did not settle within ${timeoutMs} ms`);
    timer = setTimeout(() => reject(violation), timeoutMs);
  });
  const more: OpenStore[] = [];
  const stage = {
    store: opened.store,
    key: () => ({ projectKey: `contract-${crypto.randomUUID()}`, sessionId: crypto.randomUUID() }),
    reopen: async () => {
      const again = await bench.reopen?.(opened.store);
      if (again) more.push(again);
      return again?.store ?? opened.store;
    },
    tear: async (key: SessionKey) => bench.tear?.(opened.store, key),
  };
  try {
    await Promise.race([rule.check(stage), late]);
  } finally {
    clearTimeout(timer);
    for (const { close } of [...more, opened]) await close?.();
  }
}
