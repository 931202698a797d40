/** What a schedule is, to whoever looks at it. */
import * as z from 'zod';
import { backupTypes } from './backup.ts';
import { Moment } from './fields.ts';

export const Schedule = z.object({
  id: z.string(),
  name: z.string(),
  projectId: z.string(),
  cron: z.string(),
  timezone: z.string(),
  type: z.enum(backupTypes),
  enabled: z.boolean(),
  retention: z.int().nullable().describe('Days'),
  collections: z.array(z.string()),
  storageDestinationId: z.string().nullable(),
  nextRunAt: Moment.nullable(),
  createdBy: z.object({ id: z.string(), email: z.string().nullable() }),
  createdAt: Moment,
  updatedAt: Moment,
});
