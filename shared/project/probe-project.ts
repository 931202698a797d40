/** Asking a source, within the time of one call, and saying what comes of it in the interface's words. */
import { ApiError } from '../contract/errors.ts';
import { type FirestoreDatabase, probeSource, SourceError } from '../firestore/index.ts';
import { env, type Tenant } from '../platform/index.ts';
import { openSource } from './open-source.ts';

/** The function ends after 20 s and has work of its own. */
export const probeMs = 10_000;
/** A source that is well answers in a fraction of a second; three tries are what fits. */
const patience = { attempts: 3, firstDelayMs: 200, maxDelayMs: 1_000, firstExhaustedDelayMs: 500, maxExhaustedDelayMs: 1_000 };

type Asked = Parameters<typeof openSource>[1];

/** What the work finds in the source; throws SOURCE_AUTH_ERROR if it refuses, SERVICE_UNAVAILABLE if it does not answer in time. */
export const askSource = async <T>(
  tenant: Tenant,
  project: Asked,
  work: (source: FirestoreDatabase, signal: AbortSignal) => Promise<T>,
  withinMs: number = probeMs,
): Promise<T> => {
  const source = openSource(tenant, project, { ...patience, silenceMs: withinMs });
  const signal = AbortSignal.timeout(withinMs);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(unavailable()), { once: true });
  });
  try {
    return await Promise.race([work(source, signal), late]);
  } catch (error) {
    throw error instanceof SourceError ? judged(error) : error;
  } finally {
    source.close();
  }
};

/** Costs one read. */
export const probeProject = async (tenant: Tenant, project: Asked): Promise<void> => {
  await askSource(tenant, project, probeSource);
};

export const isRefusedBySource = (error: unknown): boolean => error instanceof ApiError && error.code === 'SOURCE_AUTH_ERROR';

const judged = (error: SourceError): ApiError => {
  if (error.isTransient || error.code === 'CANCELLED') return unavailable(error);
  const { message } = error;
  // A refusal of whatever kind is put right by whoever owns the source: by another consent, or by access given there.
  const details = { reason: message, authorizationUrl: `${env('PUBLIC_URL')}/api/v1/auth/google` };
  return new ApiError('SOURCE_AUTH_ERROR', `The source project does not let us in: ${message}`, details, { cause: error });
};

const unavailable = (cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The source project does not answer; try again shortly', undefined, {
    cause,
    headers: { 'retry-after': '5' },
  });
