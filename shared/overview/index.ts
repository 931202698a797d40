export { dueTimeOf } from './assess-protection.ts';
export { findLastGood } from './last-good-backups.ts';
export { projectReads } from './project-reads.ts';
export { isDamaged, isGood } from './project-state.ts';
export { readOverview, type WholeOverview } from './read-overview.ts';
export { selectProjects } from './select-projects.ts';
export { readStorageUsage } from './storage-usage.ts';
