import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { organization } from './fields.ts';

export const organizationEvents = {
  'organization.created': z.object({
    organization: z.extend(organization, { slug: z.string(), ownerId: z.string(), createdAt: Moment }),
  }),
  'organization.updated': z.object({
    organization: z.extend(organization, {
      settings: z.object({ timezone: z.string(), defaultStorageId: z.nullable(z.string()) }),
      updatedAt: Moment,
    }),
  }),
  'organization.deleted': z.object({
    organization: z.extend(organization, {
      deleted: z.literal(true),
      deletionType: z.enum(['soft', 'permanent']),
      recoveryDeadline: z.nullable(Moment),
    }),
  }),
};
