import * as z from 'zod/mini';
import { CapturedChanges, DivergenceReport, Pitr, PitrGap } from '../models/pitr.ts';
import { organization, project } from './fields.ts';

const recovered = z.object({ organization, project, pitr: z.omit(Pitr, { anomaly: true, audit: true }) });

export const pitrEvents = {
  'pitr.enabled': recovered,
  'pitr.disabled': recovered,
  'pitr.change_captured': z.object({
    organization,
    project: z.pick(project, { id: true, name: true }),
    changes: CapturedChanges,
    gap: z.optional(PitrGap),
  }),
  'pitr.diverged': z.object({
    organization,
    project: z.pick(project, { id: true, name: true }),
    divergence: DivergenceReport,
  }),
};
