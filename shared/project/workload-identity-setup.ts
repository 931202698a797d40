import type * as z from 'zod/mini';
import type { projects } from '../contract/endpoints/projects.ts';
import { invalid } from '../contract/errors.ts';
import {
  audienceOf,
  bucketRoles,
  sourceRoles,
  type WorkloadIdentitySetup,
  workloadIdentityPoolId,
  workloadIdentityProviderId,
} from '../contract/workload-identity.ts';
import type { Tenant } from '../platform/index.ts';
import { attributesOf, principalOf } from './trusted-attributes.ts';

type Query = z.output<typeof projects.workloadIdentity.query>;

/** The commands that let this organization access a database or a bucket: a pool, a provider that accepts only it, and a role for it. */
export const workloadIdentitySetup = (tenant: Tenant, query: Query): z.input<typeof WorkloadIdentitySetup> => {
  const { sourceProjectId, projectNumber, serviceAccountEmail } = query;
  const role = roleOf(query);
  const { poolId = workloadIdentityPoolId, providerId = workloadIdentityProviderId } = query;
  const attributes = attributesOf(tenant);
  // Without the number, the shell asks Google for it.
  const number = projectNumber ?? `$(gcloud projects describe ${sourceProjectId} --format='value(projectNumber)')`;
  const member = principalOf(tenant, audienceOf({ projectNumber: number, poolId, providerId }));
  const audience = projectNumber === undefined ? null : audienceOf({ projectNumber, poolId, providerId });
  const at = `--project=${sourceProjectId} --location=global`;
  return {
    ...attributes,
    audience,
    principal: audience === null ? null : member,
    commands: [
      {
        title: 'Create a workload identity pool',
        command: `gcloud iam workload-identity-pools create ${poolId} ${at} --display-name="Backups"`,
      },
      {
        title: 'Trust this service, for your organization only',
        command: `gcloud iam workload-identity-pools providers create-aws ${providerId} ${at} --workload-identity-pool=${poolId} --account-id=${attributes.awsAccountId} --attribute-mapping="${attributes.attributeMapping}" --attribute-condition="${attributes.attributeCondition}"`,
      },
      serviceAccountEmail
        ? {
            title: `Let it act as ${serviceAccountEmail}`,
            command: `gcloud iam service-accounts add-iam-policy-binding ${serviceAccountEmail} --project=${sourceProjectId} --role=roles/iam.workloadIdentityUser --member="${member}"`,
          }
        : grantCommand(query, role, member),
    ],
  };
};

/** Defaults to the least role that suffices for backups. */
const roleOf = ({ bucket, role }: Query): string => {
  const roles = bucket === undefined ? sourceRoles : bucketRoles;
  const chosen = role ?? roles[0];
  if (!roles.some((each) => each === chosen))
    throw invalid('role', `must be ${roles.join(' or ')} for a ${bucket === undefined ? 'database' : 'bucket'}`);
  return chosen;
};

const grantCommand = ({ sourceProjectId, bucket }: Query, role: string, member: string) =>
  bucket === undefined
    ? {
        title: 'Let it access the database',
        command: `gcloud projects add-iam-policy-binding ${sourceProjectId} --role=${role} --condition=None --member="${member}"`,
      }
    : {
        title: 'Let it access the bucket',
        command: `gcloud storage buckets add-iam-policy-binding gs://${bucket} --role=${role} --member="${member}"`,
      };
