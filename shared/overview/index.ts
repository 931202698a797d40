export { dueTimeOf } from './assess-protection.ts';
export { findLastGood } from './last-good-backups.ts';
export { isDamaged, isGood } from './project-state.ts';
export { readOverview } from './read-overview.ts';
export { readStorageUsage } from './storage-usage.ts';
