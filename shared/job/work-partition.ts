import type { Tenant } from '../platform/index.ts';

/** Work items of a job have a partition of their own; clean-up deletes them once the job cannot be resumed. */
export const workPartition = (tenant: Tenant, jobId: string): string => `WORK#${tenant.organizationId}#${jobId}`;
