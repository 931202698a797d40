import * as z from 'zod/mini';
import { Export } from '../models/export.ts';
import { error } from './event-error.ts';
import { organization } from './fields.ts';

/** Exports as in the API. */
const shown = z.extend(z.omit(Export, { collections: true, columns: true }), { projectName: z.string() });

export const exportEvents = {
  'export.started': z.object({ export: shown, organization }),
  'export.completed': z.object({ export: shown, organization }),
  'export.failed': z.object({ export: z.extend(shown, { error }), organization }),
};
