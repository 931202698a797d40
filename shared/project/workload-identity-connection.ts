/**
 * Access to a Google Cloud project without a key. The project's pool trusts a role of this deployment, but only its session of one
 * organization: otherwise another customer could have us use the pool for them (confused deputy).
 */
import { ApiError, invalid } from '../contract/errors.ts';
import { audienceOf, type WorkloadIdentityInput, workloadIdentityFlaw } from '../contract/workload-identity.ts';
import { clock, federatedAccessToken, newId, type Tenant, TokenError } from '../platform/index.ts';
import type { Connection } from './record.ts';
import { attributesOf } from './trusted-attributes.ts';

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];

/** Why a provider must not be used: it also accepts other organizations. Undefined if it does not. Rejects with a transient TokenError. */
export const findProviderFlaw = async (
  tenant: Tenant,
  audience: string,
): Promise<{ readonly reason: string; readonly attributeCondition: string } | undefined> => {
  // The id is a new one, so no condition can know it.
  if (!(await isAccepted(audience, newId('organization', clock.now())))) return undefined;
  const { attributeCondition } = attributesOf(tenant);
  const reason = `The workload identity pool provider accepts other organizations of this service, too: set its attribute condition to ${attributeCondition}`;
  return { reason, attributeCondition };
};

/** Throws SOURCE_AUTH_ERROR if the provider also accepts another organization. Whether it accepts this one is for the probe. */
export const workloadIdentityConnection = async (tenant: Tenant, input: WorkloadIdentityInput): Promise<Connection> => {
  const flaw = workloadIdentityFlaw(input);
  if (flaw) throw invalid('workloadIdentity', flaw);
  const audience = audienceOf(input);
  const found = await findProviderFlaw(tenant, audience).catch((error: unknown) => {
    if (!(error instanceof TokenError)) throw error;
    throw new ApiError('SERVICE_UNAVAILABLE', 'Google’s token service did not respond; try again shortly', undefined, {
      cause: error,
      headers: { 'retry-after': '5' },
    });
  });
  if (found) throw new ApiError('SOURCE_AUTH_ERROR', found.reason, { field: 'workloadIdentity', audience, ...found });
  return { type: 'workload_identity', email: input.serviceAccountEmail ?? '', audience };
};

/** Whether the provider gives a token to an organization. */
const isAccepted = async (audience: string, sessionName: string): Promise<boolean> => {
  try {
    await federatedAccessToken({ audience, sessionName }, scopes);
    return true;
  } catch (error) {
    if (error instanceof TokenError && !error.isTransient) return false;
    throw error;
  }
};
