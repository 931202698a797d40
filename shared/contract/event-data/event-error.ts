import * as z from 'zod/mini';
import { jobErrors } from '../errors.ts';
import { JobError } from '../models/job.ts';

/** The same shape in every event that reports a failure; `STORAGE_ERROR` is a failed test of a destination. */
export const error = z.extend(JobError, {
  code: z.enum([...jobErrors, 'STORAGE_ERROR']),
  details: z._default(z.record(z.string(), z.unknown()), {}),
});
