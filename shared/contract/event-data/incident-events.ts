import * as z from 'zod/mini';
import { Incident } from '../models/alert.ts';
import { Creator } from '../models/job.ts';
import { organization } from './fields.ts';

const incident = z.object({ organization, incident: Incident });
/** `by`: null for what the service did by itself, such as at the end of muting. */
const changed = z.extend(incident, { by: z.nullable(Creator) });

export const incidentEvents = {
  'incident.opened': incident,
  'incident.acknowledged': changed,
  'incident.assigned': changed,
  'incident.muted': changed,
  'incident.recovered': incident,
};
