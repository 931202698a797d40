export { assertNameConfirmed, deleteOrganization, recoverOrganization } from './delete-organization.ts';
export { notifyOrganizationDeleted } from './notify-organization-deleted.ts';
export { duePurges, purgeOrganization } from './purge-organization.ts';
export { stopJobs } from './stop-jobs.ts';
