import type { Fleet, Quota, TenantQuota } from '@coxswain/fleet';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { usd as money } from '../render/format.ts';
import { printNotice, type Terminal } from '../terminal/terminal.ts';
import { shortly } from './flag-values.ts';
import { type FleetFlags, withFleet } from './open.ts';
import { writeTable } from './write-table.ts';

export interface QuotaFlags extends FleetFlags {
  readonly maxConcurrent?: number | 'none' | undefined;
  readonly maxUsdPerDay?: number | 'none' | undefined;
  readonly maxUsdPerTurn?: number | 'none' | undefined;
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** `cox fleet quota`: changes or removes a quota, or shows quotas and costs. @throws UsageError */
export async function quota(
  tenant: string | undefined,
  { maxConcurrent, maxUsdPerDay, maxUsdPerTurn, remove = false, json = false, ...flags }: QuotaFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const isSet = [maxConcurrent, maxUsdPerDay, maxUsdPerTurn].some((limit) => limit !== undefined);
  if (isSet && remove) throw new UsageError('--remove removes the whole quota: omit the other flags.');
  if (tenant === undefined && (isSet || remove)) throw new UsageError('Specify the tenant: cox fleet quota <tenant> …');
  return withFleet(flags, async (fleet) => {
    if (tenant === undefined || !(isSet || remove)) {
      show(await accounts(fleet, tenant), json, terminal);
      return EXIT.ok;
    }
    const before = (await fleet.quotas()).find((one) => one.tenant === tenant);
    if (remove && before === undefined) {
      printNotice(terminal, `${shortly(tenant)} has no quota to remove.`);
      return EXIT.failed;
    }
    const given = { maxConcurrent, maxUsdPerDay, maxUsdPerTurn };
    await fleet.setQuota(tenant, remove ? null : changed(before ?? {}, given));
    printNotice(terminal, remove ? `The quota of ${tenant} was removed.` : `The quota of ${tenant} is set.`);
    return EXIT.ok;
  });
}

/** A limit that is not given keeps its value. */
function changed(quota: Quota, given: Pick<QuotaFlags, keyof Quota>): Quota {
  const limit = (name: keyof Quota): number | undefined => {
    const value = given[name];
    if (value === 'none') return undefined;
    return value ?? quota[name];
  };
  return {
    maxConcurrent: limit('maxConcurrent'),
    maxUsdPerDay: limit('maxUsdPerDay'),
    maxUsdPerTurn: limit('maxUsdPerTurn'),
  };
}

/** A tenant with its quota, if it has one, and its costs. */
interface Account extends Partial<Omit<TenantQuota, 'tenant' | 'usdToday'>> {
  readonly tenant: string;
  readonly usdToday: number;
  /** Today and the 30 days before. */
  readonly usd31Days: number;
}

async function accounts(fleet: Fleet, tenant: string | undefined): Promise<Account[]> {
  const quotas = new Map((await fleet.quotas()).map((found) => [found.tenant, found]));
  const spent = await fleet.spend({ tenant });
  const today = new Date().toISOString().slice(0, 10);
  const names = tenant === undefined ? [...quotas.keys(), ...spent.map((day) => day.tenant)] : [tenant];
  return [...new Set(names)].sort().map((name) => {
    const days = spent.filter((day) => day.tenant === name);
    const usdToday = days.find(({ day }) => day === today)?.usd ?? 0;
    return { usdToday, tenant: name, ...quotas.get(name), usd31Days: days.reduce((sum, { usd }) => sum + usd, 0) };
  });
}

function show(found: readonly Account[], json: boolean, terminal: Terminal): void {
  if (json) for (const account of found) terminal.stdout.write(`${JSON.stringify(account)}\n`);
  else {
    const rows = found.map(({ tenant, running, maxConcurrent, usdToday, maxUsdPerDay, maxUsdPerTurn, usd31Days }) => [
      tenant,
      maxConcurrent === undefined ? 'no limit' : `${running} of ${maxConcurrent}`,
      maxUsdPerDay === undefined ? money(usdToday) : `${money(usdToday)} of ${money(maxUsdPerDay)}`,
      maxUsdPerTurn === undefined ? 'no limit' : money(maxUsdPerTurn),
      money(usd31Days),
    ]);
    writeTable(terminal, ['TENANT', 'TURNS AT ONCE', 'TODAY', 'PER TURN', '31 DAYS'], rows);
  }
}
