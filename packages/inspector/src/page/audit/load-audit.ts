import { lazyView } from '../layout/lazy.tsx';

/** The audit, loaded on first use. */
export const Audit = lazyView('Audit', () => import('./audit-view.tsx').then((module) => module.AuditView));
