import { deploymentAccountId, env, sessionArnOf, type Tenant } from '../platform/index.ts';

/** What a provider must map and require, for this organization. */
export const attributesOf = (tenant: Tenant) => {
  const roleArn = env('GOOGLE_ROLE_ARN');
  const sessionArn = sessionArnOf(tenant.organizationId);
  return {
    awsAccountId: deploymentAccountId(),
    roleArn,
    sessionArn,
    // Google limits subjects to 127 bytes, which an ARN may exceed. The condition requires the rest of it.
    attributeMapping: `google.subject=assertion.arn.extract('/${roleArn.slice(roleArn.lastIndexOf('/') + 1)}/{session}')`,
    attributeCondition: `assertion.arn=='${sessionArn}'`,
  };
};

/** The member of Google's policies that a provider with these attributes makes of this organization. */
export const principalOf = (tenant: Tenant, audience: string): string => {
  const pool = audience.slice('//iam.googleapis.com/'.length, audience.indexOf('/providers/'));
  return `principal://iam.googleapis.com/${pool}/subject/${tenant.organizationId}`;
};
