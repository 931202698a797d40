/** What the data of events of several resources contain. */
import * as z from 'zod/mini';

export const organization = z.object({ id: z.string(), name: z.string() });
export const project = z.object({ id: z.string(), name: z.string(), sourceProjectId: z.string() });
