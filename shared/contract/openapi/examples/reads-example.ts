import type * as z from 'zod/mini';
import type { ProjectReads } from '../../models/project-reads.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { exampleTime } from './request-examples.ts';

const { fullProject, schedule } = sampleResourcesAt(exampleTime);
const none = { changes: 0, lookups: 0, listing: 0, proofs: 0, counts: 0, audit: 0, bases: 0 };
const nightly = { reads: 3_103_101, estimatedUsd: 1.861861 };

/** A project whose changes are not captured. */
export const projectReadsExample: z.output<typeof ProjectReads> = {
  projectId: fullProject.id,
  readPrice: fullProject.database.readPrice,
  documents: 3_100_000,
  changedPerDay: null,
  budget: { ...nightly, isDefault: true },
  auditDays: null,
  countsPerDay: 0,
  forecast: { ...none, backups: nightly.reads, ...nightly },
  consequences: [],
  choices: [
    {
      ...{ setting: 'precision', value: 'off', current: true, ...nightly },
      consequence: 'Every backup reads all documents; nothing can be restored between two backups',
    },
  ],
  offers: [
    {
      scheduleId: schedule.id,
      now: nightly,
      withCapture: { reads: 161_555, estimatedUsd: 0.096933 },
      text: 'This schedule reads 3.1 million documents a day ($1.86). With capture it would read 160,000 ($0.10).',
      assumption: 'If 1 % of the documents change a day, one capture a minute, everything read again within 30 days',
    },
  ],
  days: [{ date: exampleTime.toISOString().slice(0, 10), ...none, backups: nightly.reads, ...nightly, exceeded: false }],
};
